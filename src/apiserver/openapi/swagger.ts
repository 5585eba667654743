import type { ApiResponse } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** How clients ask for it. */
const askedAs = ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", protobufType];

/**
 * The shortest document there is: field 1, the version, says 2.0. kubectl up to 1.28 wants to read this
 * document before it looks at v3, where it finds all that it needs.
 */
const emptyDocument = Buffer.from([0x0a, 3, ...Buffer.from("2.0")]);

/** `/openapi/v2`, for those who ask in protobuf; everybody else has v3. */
export function serveSwagger({ request }: Pick<Context, "request">): ApiResponse {
  const types = (request.headers["accept"] ?? "")
    .split(",")
    .map((clause) => clause.split(";")[0]?.trim() ?? "");
  if (!types.some((type) => askedAs.includes(type))) throw errors.notAcceptable([protobufType]);
  return {
    status: 200,
    headers: { vary: "Accept" },
    body: { type: "bytes", contentType: protobufType, bytes: emptyDocument },
  };
}
