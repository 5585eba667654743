import type { ApiResponse } from "../meta/exchange.ts";
import { acceptClauses, jsonType, protobufType, yamlType } from "./accept.ts";
import type { Context } from "./context.ts";
import { inYaml } from "./yaml/format.ts";
import { inProtobuf } from "./protobuf-answer.ts";

/** Answers in the client's preferred form, including errors. Its input is JSON, or no object. */
export async function answerInMediaType(
  context: Context,
  next: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const response = await next();
  switch (preferred(context.request.headers["accept"] ?? "")) {
    case "yaml":
      return answerInYaml(response);
    case "protobuf":
      return inProtobuf(context, response);
    case "json":
      return response;
  }
}

/** Returns the first supported form in the client's order; JSON without one, or without a header. */
function preferred(header: string): "json" | "yaml" | "protobuf" {
  if (header === "") return "json";
  for (const { type, parameters } of acceptClauses(header)) {
    if (type === jsonType || type === "application/*" || type === "*/*") return "json";
    if (type === yamlType) return "yaml";
    // Tables have no protobuf message.
    if (type === protobufType && parameters.get("as") !== "Table") return "protobuf";
  }
  return "json";
}

async function answerInYaml(response: ApiResponse): Promise<ApiResponse> {
  const { body } = response;
  if (body.type !== "object" && body.type !== "list") return response;
  return { ...response, body: { type: "bytes", contentType: yamlType, bytes: await inYaml(body) } };
}
