/** The facts about the first packet of a connection. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: "tcp" | "udp" | "sctp" | "icmp";
  readonly port: number;
  /** False when the packet comes from, or leaves for, another machine. */
  readonly fromPod: boolean;
  readonly toPod: boolean;
}

type Verdict = "accept" | "drop" | undefined;

interface Table {
  readonly chains: Map<string, string[]>;
  readonly sets: Map<string, Map<string, string>>;
}

/**
 * The part of nftables that the rules of policies need: refuses transactions that the kernel would refuse, and decides
 * about packets.
 */
export class FakeKernel {
  /** The table of the family `ip`. */
  table: Table | undefined;
  /** The number of transactions, and of the commands in the last one. */
  transactions = 0;
  commands: readonly string[] = [];
  /** The number of transactions that will be refused. */
  faults = 0;

  readonly run = async (program: string, _: readonly string[], script = ""): Promise<string> => {
    await Promise.resolve();
    if (program !== "nft") return "";
    if (this.faults > 0) {
      this.faults -= 1;
      throw new Error("Cannot run nft -f -: Error: Could not process rule");
    }
    this.transactions += 1;
    this.commands = script.split("\n").filter((line) => line !== "");
    this.#apply([...this.commands]);
    return "";
  };

  /** Reports whether the rules let a packet pass. */
  passes(packet: Packet): boolean {
    if (this.table === undefined) return true;
    const egress = !packet.fromPod || this.#hook("egress", packet.from, packet) === "accept";
    return egress && (!packet.toPod || this.#hook("ingress", packet.to, packet) === "accept");
  }

  #hook(direction: string, address: string, packet: Packet): Verdict {
    const chain = this.#set(direction).get(address)?.replace("goto ", "");
    return chain === undefined ? "drop" : this.#chain(chain, packet);
  }

  #chain(name: string, packet: Packet): Verdict {
    for (const rule of this.#rules(name)) {
      const verdict = this.#rule(rule, packet);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  #rule(rule: string, packet: Packet): Verdict {
    const words = rule.replace(/ comment ".*"$/, "");
    const jump = /^jump (\S+)$/.exec(words)?.[1];
    if (jump !== undefined) return this.#chain(jump, packet);
    const [, matches = "", verdict] = /^(.*?) ?(accept|drop)$/.exec(words) ?? [];
    if (verdict !== "accept" && verdict !== "drop") throw new Error(`syntax error: ${rule}`);
    return this.#matches(matches, packet) ? verdict : undefined;
  }

  #matches(text: string, packet: Packet): boolean {
    let rest = text;
    const take = (pattern: RegExp) => {
      const found = pattern.exec(rest);
      if (found !== null) rest = rest.slice(found[0].length).trimStart();
      return found;
    };
    let holds = true;
    const within = (value: string, expected: string) => {
      if (expected.startsWith("@")) holds &&= this.#set(expected.slice(1)).has(value);
      else holds &&= inRanges(value, expected);
    };
    for (;;) {
      if (rest === "") return holds;
      const protocol = take(/^meta l4proto (\w+)/);
      const pair = take(/^ip daddr \. th dport (@\S+)/);
      const address = take(/^ip ([sd])addr (@\S+|\{[^}]*\}|[\d.]+)/);
      const port = take(/^th dport (\{[^}]*\})/);
      if (protocol !== null) holds &&= packet.protocol === protocol[1];
      if (pair !== null) within(`${packet.to} . ${packet.port}`, pair[1] ?? "");
      if (address !== null) within(address[1] === "s" ? packet.from : packet.to, address[2] ?? "");
      if (port !== null) within(String(packet.port), port[1] ?? "");
      if ([protocol, pair, address, port].every((one) => one === null))
        throw new Error(`syntax error: ${rest}`);
    }
  }

  #apply(lines: string[]): void {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      const block = /^table (\w+) \S+ \{$/.exec(line);
      if (block === null) this.#command(line);
      else {
        while (lines.shift() !== "}");
        if (block[1] === "ip") this.table = emptyTable();
      }
    }
  }

  #command(line: string): void {
    const [, verb = "", what = "", family, rest = ""] = /^(\w+) (\w+) (\w+) \S+ ?(.*)$/.exec(line) ?? [];
    if (family !== "ip") return;
    const [, name = "", body = ""] = /^(\S*) ?(.*)$/.exec(rest) ?? [];
    if (what === "table") this.table = verb === "delete" ? undefined : emptyTable();
    else if (verb === "add" && what === "chain") this.#present().chains.set(name, []);
    else if (verb === "add" && what === "set") this.#present().sets.set(name, new Map());
    else if (verb === "add" && what === "rule") this.#addRule(name, body);
    else if (verb === "flush") this.#rules(name).length = 0;
    else if (verb === "delete" && what === "chain") this.#deleteChain(name);
    else if (verb === "delete" && what === "set") this.#deleteSet(name);
    else if (what === "element") this.#changeElements(verb, name, body);
    else throw new Error(`syntax error: ${line}`);
  }

  #addRule(chain: string, rule: string): void {
    const target = /^jump (\S+)/.exec(rule)?.[1];
    if (target !== undefined) this.#rules(target);
    for (const [, set = ""] of rule.matchAll(/@(\S+)/g)) this.#set(set);
    this.#rules(chain).push(rule);
  }

  #changeElements(verb: string, set: string, body: string): void {
    const elements = this.#set(set);
    for (const element of body.slice(2, -2).split(", ")) {
      const [key = "", value = ""] = element.split(" : ");
      if (value !== "") this.#rules(value.replace("goto ", ""));
      if (verb === "add") elements.set(key, value);
      else if (!elements.delete(key)) throw new Error(`No such element: ${element}`);
    }
  }

  #deleteChain(name: string): void {
    if (this.#rules(name).length > 0) throw new Error(`Chain ${name} has rules`);
    const { chains, sets } = this.#present();
    const used = [...chains.values()].some((rules) => rules.some((rule) => rule.startsWith(`jump ${name} `)));
    const mapped = [...sets.values()].some((set) => [...set.values()].includes(`goto ${name}`));
    if (used || mapped) throw new Error(`Chain ${name} is in use`);
    chains.delete(name);
  }

  #deleteSet(name: string): void {
    this.#set(name);
    for (const rules of this.#present().chains.values())
      if (rules.some((rule) => rule.split(" ").includes(`@${name}`)))
        throw new Error(`Set ${name} is in use`);
    this.#present().sets.delete(name);
  }

  #present(): Table {
    if (this.table === undefined) throw new Error("No such table");
    return this.table;
  }

  #rules(chain: string): string[] {
    const rules = this.#present().chains.get(chain);
    if (rules === undefined) throw new Error(`No such chain: ${chain}`);
    return rules;
  }

  #set(name: string): Map<string, string> {
    const set = this.#present().sets.get(name);
    if (set === undefined) throw new Error(`No such set: ${name}`);
    return set;
  }
}

/** The table with its maps of Pods, which lead to the Pods' chains. */
function emptyTable(): Table {
  return { chains: new Map(), sets: new Map(["ingress", "egress"].map((name) => [name, new Map()])) };
}

function inRanges(value: string, text: string): boolean {
  const ranges = text.startsWith("{") ? text.slice(2, -2).split(", ") : [text];
  return ranges.some((range) => {
    const [first = "", last = first] = range.split("-");
    return number(first) <= number(value) && number(value) <= number(last);
  });
}

/** Orders ports, and addresses in the dotted notation. */
function number(text: string): number {
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
