import * as podOptions from "../../api/core/pod/options.ts";
import type { GroupVersionKind } from "../../meta/kind.ts";
import type { MessageType } from "../../meta/schema.ts";
import { type ListedSubresource, subresourcesOf } from "../discovery/groups.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Definitions } from "./definitions.ts";
import { patchDefinition } from "./meta-messages.ts";
import {
  answers,
  body,
  mediaTypesOf,
  namingOf,
  operation,
  type OperationInfo,
  patchBody,
  pathPrefix,
  title,
} from "./operations.ts";
import * as parameters from "./parameters.ts";
import { parametersOf } from "./parameters.ts";
import { withShared } from "./resource-operation.ts";
import type { SchemaObject } from "./schema-object.ts";
import { table } from "../../util/table.ts";

/** Returns the schema of a kind; undefined for a kind without one. */
export type FindMessage = (kind: GroupVersionKind) => MessageType | undefined;

/** The options of streams by kind: these kinds are sent as query parameters. */
const optionMessages = new Map(
  Object.values(podOptions).map((message) => [
    message.name.slice(message.name.lastIndexOf(".") + 1),
    message,
  ]),
);

/** Returns the paths of a resource's subresources. */
export function subresourcePaths(
  resource: ServedResource,
  definitions: Definitions,
  find: FindMessage,
): [string, SchemaObject][] {
  const { kind } = resource;
  const root = `${pathPrefix(kind)}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}/{name}`;
  return subresourcesOf(kind).flatMap((sub): [string, SchemaObject][] => {
    const path = `${root}/${sub.name}`;
    if (sub.name === "log") return [[path, logPath(resource, sub)]];
    if (!optionMessages.has(sub.kind)) return [[path, objectPath(resource, sub, definitions, find)]];
    const connect: [string, SchemaObject] = [path, connectPath(resource, sub)];
    return sub.name === "proxy" ? [connect, [`${path}/{path}`, connectPath(resource, sub, true)]] : [connect];
  });
}

function shared({ kind }: ServedResource, ...more: readonly SchemaObject[]): readonly SchemaObject[] {
  const name = parameters.pathParameter("name", `The name of the ${kind.kind}.`);
  return [name, ...(kind.namespaced ? [parameters.namespace] : []), ...more];
}

/** Returns an operation's ID and tag; `method` precedes the scope in the IDs of connections. */
function named({ kind }: ServedResource, sub: ListedSubresource, verb: string, method = "", after = "") {
  const { id, tag } = namingOf(kind.apiVersion);
  const scope = kind.namespaced ? "Namespaced" : "";
  return { id: `${verb}${id}${method}${scope}${kind.kind}${title(sub.name)}${after}`, tag, of: sub };
}

function objectPath(
  resource: ServedResource,
  sub: ListedSubresource,
  definitions: Definitions,
  find: FindMessage,
): SchemaObject {
  const message = find(sub);
  const object = message === undefined ? { type: "object" } : definitions.refer(message);
  const write = { parameters: parameters.writing, requestBody: body(object, resource.kind) };
  const types = mediaTypesOf(resource.kind);
  type Request = readonly [
    method: string,
    word: string,
    Pick<OperationInfo, "parameters" | "requestBody" | "responses">,
  ];
  const requests: Readonly<Record<string, () => Request>> = {
    create: () => ["post", "create", { ...write, responses: answers(object, [200, 201, 202], types) }],
    get: () => ["get", "read", { responses: answers(object, [200], types) }],
    patch: () => [
      "patch",
      "patch",
      {
        parameters: parameters.patching,
        requestBody: patchBody(definitions.add(...patchDefinition), resource.kind),
        responses: answers(object, [200, 201], types),
      },
    ],
    update: () => ["put", "replace", { ...write, responses: answers(object, [200, 201], types) }],
  };
  const operations: Record<string, SchemaObject> = {};
  for (const verb of sub.verbs) {
    const request = requests[verb];
    if (request === undefined) continue;
    const [method, word, info] = request();
    const description = `${word} the ${sub.name} of a ${resource.kind.kind}`;
    operations[method] = operation({ ...named(resource, sub, word), description, action: method, ...info });
  }
  return withShared(operations, shared(resource, parameters.pretty));
}

function logPath(resource: ServedResource, sub: ListedSubresource): SchemaObject {
  const get = operation({
    ...named(resource, sub, "read"),
    description: `read the log of a ${resource.kind.kind}`,
    action: "get",
    responses: answers({ type: "string" }, [200], ["text/plain", ...mediaTypesOf(resource.kind)]),
  });
  return {
    get,
    parameters: shared(resource, parameters.pretty, ...parametersOf(podOptions.PodLogOptions)),
  };
}

const connectMethods: Readonly<Record<string, readonly string[]>> = table({
  create: ["post"],
  delete: ["delete"],
  get: ["get"],
  patch: ["patch"],
  update: ["put"],
});
/** A proxy accepts every method. */
const proxyMethods = ["delete", "get", "head", "options", "patch", "post", "put"];

function connectPath(resource: ServedResource, sub: ListedSubresource, withPath = false): SchemaObject {
  const methods =
    sub.name === "proxy" ? proxyMethods : sub.verbs.flatMap((verb) => connectMethods[verb] ?? []);
  const operations = methods.map((method) => [
    method,
    operation({
      ...named(resource, sub, "connect", title(method), withPath ? "WithPath" : ""),
      description: `connect to the ${sub.name} of a ${resource.kind.kind} by ${method.toUpperCase()}`,
      action: "connect",
      responses: answers({ type: "string" }, [200], ["*/*"]),
    }),
  ]);
  const options = optionMessages.get(sub.kind);
  return {
    ...Object.fromEntries(operations),
    parameters: shared(
      resource,
      ...(withPath ? [parameters.pathParameter("path", "The path to pass on.")] : []),
      ...(options === undefined ? [] : parametersOf(options)),
    ),
  };
}
