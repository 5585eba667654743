import { table } from "../../util/table.ts";

/** The attributes that hold URLs, by element (apimachinery `util/proxy/transport.go`). */
const linkAttributes: Readonly<Record<string, readonly string[]>> = table({
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
});

/** Elements whose content is text, in which nothing is a tag. */
const rawText: ReadonlySet<string> = new Set(
  "iframe noembed noframes noscript script style textarea title xmp".split(" "),
);

/** The greatest length of a tag that is read: a longer one is passed on unchanged. */
const maxTag = 8192;

/**
 * Changes the URLs of an HTML page that arrives in pieces. Everything but the values that change is passed on as it
 * is. Input and output are strings of bytes (`latin1`), so that the page's encoding does not matter as long as it
 * contains ASCII.
 */
export class HtmlLinks {
  readonly #rewrite: (url: string) => string;
  /** The beginning of a tag whose end has not arrived. */
  #held = "";
  /** The text at which tags count again, in lower case; empty while they count. */
  #until = "";

  /** `rewrite` gets each URL as the page has it, character references included. */
  constructor(rewrite: (url: string) => string) {
    this.#rewrite = rewrite;
  }

  /** Returns what can be passed on so far. Takes time in proportion to the piece. */
  write(piece: string): string {
    const input = this.#held + piece;
    const lower = input.toLowerCase();
    this.#held = "";
    let output = "";
    let at = 0;
    while (at < input.length) {
      if (this.#until !== "") {
        const end = lower.indexOf(this.#until, at);
        const next =
          end === -1 ? Math.max(at, input.length - this.#until.length + 1) : end + this.#until.length;
        output += input.slice(at, next);
        if (end === -1) return this.#hold(output, input, next);
        this.#until = "";
        at = next;
        continue;
      }
      const open = input.indexOf("<", at);
      if (open === -1) return output + input.slice(at);
      output += input.slice(at, open);
      if ("<!--".startsWith(input.slice(open, open + 4)) && input.length - open < 4)
        return this.#hold(output, input, open);
      if (!/[a-z]/.test(lower.charAt(open + 1))) {
        const isComment = input.startsWith("<!--", open);
        if (isComment) this.#until = "-->";
        // The hyphens are read again: `<!-->` is a whole comment.
        at = open + (isComment ? 2 : 1);
        output += input.slice(open, at);
        continue;
      }
      const end = endOfTag(input, open);
      if (end === -1) {
        if (input.length - open <= maxTag) return this.#hold(output, input, open);
        this.#until = ">";
        at = open;
        continue;
      }
      output += this.#tag(input.slice(open, end));
      at = end;
    }
    return output;
  }

  /** Returns the rest of a page that ends within a tag. */
  end(): string {
    return this.#held;
  }

  #hold(output: string, input: string, from: number): string {
    this.#held = input.slice(from);
    return output;
  }

  /** Returns a start tag with its URLs changed. */
  #tag(tag: string): string {
    const name = /^<([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (rawText.has(name)) this.#until = `</${name}`;
    const links = linkAttributes[name];
    if (links === undefined) return tag;
    const attribute = /[\s/]*([^\s=>/]*)(\s*=\s*)?/y;
    const quoted = /"([^"]*)"|'([^']*)'|([^\s>]*)/y;
    let output = "";
    let copied = 0;
    let at = name.length + 1;
    while (at < tag.length) {
      attribute.lastIndex = at;
      const [text = "", key = "", equals] = attribute.exec(tag) ?? [];
      at += text.length;
      if (equals === undefined) {
        if (text === "") at++;
        continue;
      }
      quoted.lastIndex = at;
      const [value = "", double, single, bare = ""] = quoted.exec(tag) ?? [];
      const url = double ?? single ?? bare;
      const changed = links.includes(key.toLowerCase()) ? this.#rewrite(url) : url;
      if (changed !== url) {
        output += tag.slice(copied, at) + inQuotes(changed, single !== undefined);
        copied = at + value.length;
      }
      at += value.length;
    }
    return output + tag.slice(copied);
  }
}

function inQuotes(value: string, single: boolean): string {
  return single ? `'${value}'` : `"${value}"`;
}

/** Returns the index after the tag that opens at `open`; -1 if it does not end in the text. */
function endOfTag(text: string, open: number): number {
  let quote = "";
  let isValue = false;
  for (let at = open + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return at + 1;
    else if (isValue && (character === '"' || character === "'")) {
      quote = character;
      isValue = false;
    } else if (character === "=") isValue = true;
    else if (!/\s/.test(character)) isValue = false;
  }
  return -1;
}
