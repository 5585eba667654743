import { parentPort } from "node:worker_threads";
import type { Calls, Reply, Request } from "./calls.ts";
import { Database } from "./database.ts";

let database: Database | undefined;

function answer(request: Request): Calls[Request["name"]]["result"] {
  if (request.name === "open") {
    database = new Database(request.argument);
    return database.compacted;
  }
  if (database === undefined) throw new Error("no file is open");
  switch (request.name) {
    case "load":
      return database.load(request.argument);
    case "write":
      return database.write(request.argument);
    case "probe":
      return database.probe(request.argument);
    case "compact":
      return database.compact(request.argument);
    case "tidy":
      return database.tidy();
    case "close":
      return database.close();
  }
}

function reply(request: Request): Reply {
  try {
    return { result: answer(request) };
  } catch (error) {
    return { error };
  }
}

parentPort?.on("message", (request: Request) => {
  const answered = reply(request);
  const loaded = "result" in answered && typeof answered.result === "object" ? [answered.result.rows] : [];
  parentPort?.postMessage(answered, loaded);
  if (request.name === "close") parentPort?.close();
});
