import { DeleteOptions } from "../../meta/v1-options.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Definitions } from "./definitions.ts";
import { listMessage } from "../../meta/list-message.ts";
import { patchDefinition, Status } from "./meta-messages.ts";
import { answers, body, mediaTypesOf, patchBody, pathPrefix } from "./operations.ts";
import * as parameters from "./parameters.ts";
import { type Operations, operationsOf, type Path, type Short, withShared } from "./resource-operation.ts";
import type { SchemaObject } from "./schema-object.ts";
import { watchPaths } from "./watch-paths.ts";

/** Returns the paths of a resource without its subresources, with an operation for each verb. */
export function resourcePaths(resource: ServedResource, definitions: Definitions): [string, SchemaObject][] {
  const { kind } = resource;
  const root = pathPrefix(kind);
  const inNamespace = kind.namespaced ? `/namespaces/{namespace}/${kind.plural}` : `/${kind.plural}`;
  const scope = kind.namespaced ? [parameters.namespace] : [];
  const name = parameters.pathParameter("name", `The name of the ${kind.kind}.`);
  const paths: Path[] = [
    [root + inNamespace, collection(resource, definitions), [...scope, parameters.pretty]],
    [`${root}${inNamespace}/{name}`, single(resource, definitions), [name, ...scope, parameters.pretty]],
    ...watchPaths(resource, definitions),
  ];
  if (kind.namespaced)
    paths.push([`${root}/${kind.plural}`, everywhere(resource, definitions), [parameters.pretty]]);
  return paths
    .filter(([, operations]) => Object.keys(operations).length > 0)
    .map(([path, operations, shared]) => [path, withShared(operations, shared)]);
}

function collection(resource: ServedResource, definitions: Definitions): Operations {
  const { kind } = resource;
  const make = operationsOf(resource);
  const operations: Operations = {};
  if (kind.verbs.includes("list")) {
    operations["get"] = make(listing(resource, definitions, "list"));
  }
  if (kind.verbs.includes("create")) {
    const object = definitions.refer(kind.schema);
    operations["post"] = make({
      verb: "create",
      description: `create a ${kind.kind}`,
      action: "post",
      parameters: parameters.writing,
      requestBody: body(object, kind),
      responses: answers(object, [200, 201, 202], mediaTypesOf(kind)),
    });
  }
  if (kind.verbs.includes("deletecollection")) {
    const scope = kind.namespaced ? "CollectionNamespaced" : "Collection";
    const many = {
      verb: "delete",
      description: `delete all ${kind.plural} that the selectors choose`,
      action: "deletecollection",
      parameters: parameters.deletingMany,
      requestBody: body(definitions.refer(DeleteOptions), kind, false),
      responses: answers(definitions.refer(Status), [200], mediaTypesOf(kind)),
    };
    operations["delete"] = make(many, scope);
  }
  return operations;
}

function listing({ kind }: ServedResource, definitions: Definitions, verb: string): Short {
  return {
    verb,
    description: `list or watch ${kind.plural}`,
    action: "list",
    parameters: parameters.listing,
    responses: answers(definitions.refer(listMessage(kind)), [200], mediaTypesOf(kind, "stream")),
  };
}

function everywhere(resource: ServedResource, definitions: Definitions): Operations {
  if (!resource.kind.verbs.includes("list")) return {};
  const all: Short = { ...listing(resource, definitions, "list"), after: "ForAllNamespaces" };
  return { get: operationsOf(resource)(all, "") };
}

function single(resource: ServedResource, definitions: Definitions): Operations {
  const { kind } = resource;
  const make = operationsOf(resource);
  const object = definitions.refer(kind.schema);
  const types = mediaTypesOf(kind);
  const all: Record<string, () => [string, Short]> = {
    get: () => [
      "get",
      {
        verb: "read",
        description: `read a ${kind.kind}`,
        action: "get",
        responses: answers(object, [200], types),
      },
    ],
    update: () => [
      "put",
      {
        verb: "replace",
        description: `replace a ${kind.kind}`,
        action: "put",
        parameters: parameters.writing,
        requestBody: body(object, kind),
        responses: answers(object, [200, 201], types),
      },
    ],
    patch: () => [
      "patch",
      {
        verb: "patch",
        description: `change parts of a ${kind.kind}`,
        action: "patch",
        parameters: parameters.patching,
        requestBody: patchBody(definitions.add(...patchDefinition), kind),
        responses: answers(object, [200, 201], types),
      },
    ],
    delete: () => [
      "delete",
      {
        verb: "delete",
        description: `delete a ${kind.kind}`,
        action: "delete",
        parameters: parameters.deleting,
        requestBody: body(definitions.refer(DeleteOptions), kind, false),
        responses: answers(
          resource.strategy.returnDeletedObject === true ? object : definitions.refer(Status),
          [200, 202],
          types,
        ),
      },
    ],
  };
  const served = Object.entries(all).filter(([verb]) => kind.verbs.includes(verb));
  return Object.fromEntries(
    served.map(([, describe]) => {
      const [method, info] = describe();
      return [method, make(info)];
    }),
  );
}
