/**
 * `node:http`. An import declaration would read all that it exports, and among this is `WebSocket`: reading that loads
 * a client that nothing here needs, in 30 ms.
 */
export const http = process.getBuiltinModule("node:http");
