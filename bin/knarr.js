#!/usr/bin/env node
// Plain JavaScript that any Node can parse: an old one must get a clear line, not a syntax error.
// It imports nothing either: what has to begin again should not have begun.
const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `knarr needs Node 24 or later, and this is ${process.version}. In a checkout, npm scripts bring their own.\n`,
  );
  process.exit(1);
}

// Times to ready count from here, also when the process begins again.
const { KNARR_STARTED_AT: began = String(globalThis.performance.timeOrigin) } = process.env;
delete process.env.KNARR_STARTED_AT;

// glibc keeps memory apart for each thread, and the larger the buffers that were freed, the less it gives back: in a
// process that stays, a good part of it all. It looks at this only as it starts, so that the process has to begin
// again, as itself.
const allocator = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};
if (process.argv[2] === "up" && process.platform === "linux" && process.env.MALLOC_ARENA_MAX === undefined) {
  const line = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, line, { ...process.env, ...allocator, KNARR_STARTED_AT: began });
}

// Compiled code is kept between starts: half the time of the first one.
const { enableCompileCache } = process.getBuiltinModule("node:module");
const { existsSync } = process.getBuiltinModule("node:fs");
enableCompileCache();
const built = new URL("../dist/bundle/main.js", import.meta.url);
const source = new URL("../src/cluster/main.ts", import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
await main(process.argv.slice(2), Number(began));
