import { closeSync, rmSync, writeSync } from "node:fs";
import { systemClock } from "../../../util/clock.ts";
import { StdioServer } from "./server.ts";

/**
 * The entry point of the stdio server's process: `stdio-main <socket>`. It writes `ready` to descriptor 3. An
 * existing socket belongs to a dead server, because the parent process has tried to connect to it.
 */
const path = process.argv[2] ?? "";
rmSync(path, { force: true });
process.umask(0o077);
await new StdioServer(systemClock).listen(path);
process.umask(0o022);
writeSync(3, "ready");
closeSync(3);
