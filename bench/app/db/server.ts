import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

/** The database: one table in a file on the volume. An answer means that the row is on the disk. */

const database = new DatabaseSync("/data/orders.db");
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE IF NOT EXISTS orders (key TEXT PRIMARY KEY, version TEXT) WITHOUT ROWID");
const insert = database.prepare("INSERT OR IGNORE INTO orders VALUES (?, ?)");
const select = database.prepare("SELECT key FROM orders");

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://db");
  if (url.pathname === "/healthz") response.end("ok");
  else if (url.pathname === "/keys")
    response.end(
      select
        .all()
        .map((row) => String(row["key"]))
        .join("\n"),
    );
  else if (url.pathname === "/insert") {
    insert.run(url.searchParams.get("key") ?? "", url.searchParams.get("version") ?? "");
    response.end("stored");
  } else response.writeHead(404).end();
});
server.listen(5432);
process.on("SIGTERM", () => server.close(() => process.exit(0)));
