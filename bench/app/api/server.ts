import { pbkdf2Sync } from "node:crypto";
import { createServer, request as send, type ServerResponse } from "node:http";

/** The API: each order costs some milliseconds of CPU, and a row of the database. */

const { VERSION: version = "", DB_SERVICE_HOST: host, DB_SERVICE_PORT: port } = process.env;
/** About three milliseconds. */
const rounds = 8000;

/** Stores an order over a connection of its own: an idle one may be closed at the moment of the next request. */
function store(key: string, response: ServerResponse): void {
  const path = `/insert?key=${encodeURIComponent(key)}&version=${version}`;
  const stored = send({ host, port, path, agent: false }, (answer) => {
    answer.resume();
    answer.on("end", () => response.writeHead(answer.statusCode === 200 ? 200 : 502).end(version));
    answer.on("error", (error) => fail(response, error));
  });
  stored.on("error", (error) => fail(response, error));
  stored.end();
}

function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end(`database: ${error.message}`);
}

const server = createServer((request, response) => {
  response.setHeader("connection", "close");
  const url = new URL(request.url ?? "/", "http://api");
  if (url.pathname === "/healthz") return void response.end("ok");
  const key = url.searchParams.get("key") ?? "";
  pbkdf2Sync(key, "salt", rounds, 32, "sha256");
  store(key, response);
});
server.listen(8080);
process.on("SIGTERM", () => server.close(() => process.exit(0)));
