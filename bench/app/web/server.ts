import { createServer, request as send } from "node:http";

/**
 * The web tier: passes requests on to the API, at the address of its Service. It is in the environment, because the
 * cluster's DNS ends with Knarr.
 */

const { API_SERVICE_HOST: host, API_SERVICE_PORT: port } = process.env;

const server = createServer((request, response) => {
  response.setHeader("connection", "close");
  if (request.url === "/healthz") return void response.end("ok");
  const upstream = send({ host, port, path: request.url, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502);
    answer.pipe(response);
  });
  upstream.on("error", (error) => response.writeHead(502).end(`api: ${error.message}`));
  upstream.end();
});
server.listen(8080);
process.on("SIGTERM", () => server.close(() => process.exit(0)));
