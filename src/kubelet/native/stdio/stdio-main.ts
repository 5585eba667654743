import { closeSync, rmSync, writeSync } from "node:fs";
import { systemClock } from "../../../util/clock.ts";
import { StdioServer } from "./server.ts";

/**
 * Entry point of the stdio server's process: `stdio-main <socket>`. Says `ready` on descriptor 3. A socket that is
 * there already belongs to a server that has died: whoever starts us has tried it.
 */
const path = process.argv[2] ?? "";
rmSync(path, { force: true });
process.umask(0o077);
await new StdioServer(systemClock).listen(path);
process.umask(0o022);
writeSync(3, "ready");
closeSync(3);
