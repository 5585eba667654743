/**
 * `node:http`. An import declaration would read all exports, including `WebSocket`, which takes 30 ms to load
 * an unused client.
 */
export const http = process.getBuiltinModule("node:http");
