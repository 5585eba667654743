import { connect, createServer, type ListenOptions } from "node:net";

/** Relays connections from one address to another: `host:port` or the path of a Unix socket, which all network namespaces share. */
const [from = "", to = ""] = process.argv.slice(2);

function parse(address: string): ListenOptions & { path: string } & { port: number } {
  const [host = "", port = "0"] = address.split(":");
  const where = address.startsWith("/") ? { path: address } : { host, port: Number(port) };
  // Safe: both kinds of address are accepted wherever one is.
  return where as ListenOptions & { path: string } & { port: number };
}

createServer((client) => {
  const target = connect(parse(to));
  client.on("error", () => target.destroy()).pipe(target);
  target.on("error", () => client.destroy()).pipe(client);
}).listen(parse(from));
