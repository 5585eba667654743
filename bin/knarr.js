#!/usr/bin/env node
// Plain JavaScript that any Node can parse: an old one must get a clear line, not a syntax error.
import { existsSync } from "node:fs";
import module from "node:module";

const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `knarr needs Node 24 or later, and this is ${process.version}. In a checkout, npm scripts bring their own.\n`,
  );
  process.exit(1);
}

// Compiled code is kept between starts: half the time of the first one.
module.enableCompileCache?.();
const built = new URL("../dist/cluster/main.js", import.meta.url);
const source = new URL("../src/cluster/main.ts", import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
await main(process.argv.slice(2));
