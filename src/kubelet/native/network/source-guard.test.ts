import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { containerConfig, inState, logged, logOf } from "../../runtime.suite.ts";
import { nativeUnavailable } from "../native-runtime.ts";
import { hostImageName, useNative } from "../native.suite.ts";
import { linkName } from "./link-name.ts";
import { bindScript, hardwareAddress, releaseScript, tableScript } from "./source-guard.ts";

test("a link's rules name the Pod's hardware address and address", () => {
  expect(hardwareAddress("10.244.0.17")).toBe("0a:58:0a:f4:00:11");
  const chain = "netdev kb kn0123";
  expect(bindScript("kb", "kn0123", "10.244.0.17").split("\n")).toEqual([
    "add table netdev kb",
    `add chain ${chain} { type filter hook ingress device "kn0123" priority 0; }`,
    `flush chain ${chain}`,
    `add rule ${chain} ether saddr != 0a:58:0a:f4:00:11 drop`,
    `add rule ${chain} ip saddr != 10.244.0.17 drop`,
    `add rule ${chain} meta protocol arp @nh,64,48 != 0x0a580af40011 drop`,
    `add rule ${chain} meta protocol arp @nh,112,32 != 0x0af40011 drop`,
  ]);
  expect(releaseScript("kb", "kn0123")).toBe(`flush chain ${chain}\ndelete chain ${chain}`);
});

const unavailable =
  nativeUnavailable() ?? (hasNft() ? undefined : "nft cannot change a table of the family netdev");
const title = unavailable === undefined ? "a Pod's link" : `a Pod's link: ${unavailable}`;

function hasNft(): boolean {
  try {
    execFileSync("nft", ["--check", "-f", "-"], { input: tableScript("check"), stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/** Prints the sources of the datagrams that arrive, until one says that it is the last. */
const receiver = `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7000))
print("listening", flush=True)
while True:
    text, (source, port) = s.recvfrom(100)
    print(source, text.decode(), flush=True)
    if text == b"last": break
for row in open("/proc/net/arp").readlines()[1:]:
    print("neighbour", row.split()[0], row.split()[3], flush=True)
`;

/** Sends frames with a stolen address, a stolen hardware address, and at the end its own. */
const attacker = `
import fcntl, socket, struct, sys
mine, target, gateway = sys.argv[1:4]
ip = socket.inet_aton
mac = lambda address: b"\\x0a\\x58" + ip(address)
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("eth0", 0))
def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
def datagram(link, source, text, tag=b""):
    udp = struct.pack("!HHHH", 7001, 7000, 8 + len(text), 0) + text
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, ip(source), ip(target))
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    s.send(mac(target) + link + tag + b"\\x08\\x00" + head + udp)
def arp(kind, link, sender, address):
    # A request makes the kernel remember its sender.
    body = struct.pack("!HHBBH6s4s6s4s", kind, 0x800, 6, 4, 1, sender, ip(address), mac(target), ip(target))
    s.send(mac(target) + link + b"\\x08\\x06" + body)
datagram(mac(mine), gateway, b"stolen address")
datagram(mac(gateway), mine, b"stolen hardware address")
datagram(mac(mine), gateway, b"stolen in a tagged frame", b"\\x81\\x00\\x00\\x00")
arp(1, mac(mine), mac(mine), mine)
for kind in 1, 6:
    arp(kind, mac(mine), mac(mine), gateway)
    arp(kind, mac(mine), mac(gateway), mine)
arp(1, mac(gateway), mac(gateway), gateway)
datagram(mac(mine), mine, b"last")
`;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();
  const python = (script: string, ...args: readonly string[]) =>
    containerConfig(hostImageName, ["python3", "-c", script, ...args], {});

  test("passes nothing with a neighbour's or the node's address, even with CAP_NET_RAW", async () => {
    const [victim, other] = [await native.runSandbox(), await native.runSandbox()];
    const [target = "", mine = ""] = [victim.ips[0], other.ips[0]];
    const gateway = target.replace(/\d+$/, "1");
    const { runtime } = native.under;
    const listening = await native.start(victim, python(receiver));
    await logged((await inState(runtime, listening, "running")).logPath, "listening");
    await native.start(other, python(attacker, mine, target, gateway));
    const lines = await logOf(runtime, listening);
    expect(lines.map((line) => line.replace(/^\w+ [FP] /, ""))).toEqual([
      "listening",
      `${mine} last`,
      `neighbour ${mine} ${hardwareAddress(mine)}`,
    ]);
  });

  test("leaves no rules when its Pod goes", async () => {
    const sandbox = await native.runSandbox();
    expect(rules()).toContain(sandbox.ips[0]);
    await native.under.runtime.removeSandbox(sandbox.id);
    expect(rules()).not.toContain(linkName(sandbox.id));
  });

  test("keeps its rules when the runtime starts again", async () => {
    const sandbox = await native.runSandbox();
    const before = rules();
    await native.under.restart();
    expect(rules()).toBe(before);
    expect(before).toContain(linkName(sandbox.id));
  });

  const rules = () =>
    execFileSync("nft", ["list", "table", "netdev", native.under.options.bridge], { encoding: "utf8" });
});
