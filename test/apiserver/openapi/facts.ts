/** The content of a document without descriptions and form: by place, then by aspect. */
export type Facts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Json = Readonly<Record<string, unknown>>;

/** Returns the facts of a definition, by field: `.ports` is a list, `.ports[]` its items. */
export function definitionFacts(schema: Json): Facts {
  const facts: Record<string, Json> = {};
  collect(schema, "", facts);
  return facts;
}

const prefix = /^#\/(components\/schemas|definitions)\//;

function collect(schema: Json, place: string, facts: Record<string, Json>): void {
  const { allOf, $ref, properties, items, additionalProperties, description: _, ...aspects } = schema;
  const [only, ...others] = Array.isArray(allOf) ? (allOf as Json[]) : [];
  // A reference with siblings is wrapped: upstream wraps some and not others.
  const reference = $ref ?? (others.length === 0 ? only?.["$ref"] : undefined);
  facts[place] = {
    ...(typeof reference === "string" ? { type: reference.replace(prefix, "") } : {}),
    ...Object.fromEntries(Object.entries(aspects).map(([name, value]) => [name, sorted(name, value)])),
  };
  for (const [name, field] of Object.entries((properties ?? {}) as Readonly<Record<string, Json>>)) {
    collect(field, `${place}.${name}`, facts);
  }
  if (items !== undefined) collect(items as Json, `${place}[]`, facts);
  if (additionalProperties !== undefined) collect(additionalProperties as Json, `${place}{}`, facts);
}

const unordered = new Set(["enum", "required", "x-kubernetes-group-version-kind"]);

function sorted(name: string, value: unknown): unknown {
  if (!unordered.has(name) || !Array.isArray(value)) return value;
  const texts = value.map((one) => (typeof one === "string" ? one : kindText(one as Json)));
  return texts.sort().join(" ");
}

function kindText({ group, version, kind }: Json): string {
  return `${String(group)}/${String(version)}/${String(kind)}`;
}

/** Returns the facts of a path, by method. The parameters that all methods share are the place without a name. */
export function pathFacts(path: Json): Facts {
  const { parameters, ...operations } = path as Readonly<Record<string, Json>>;
  const facts = Object.entries(operations).map(([method, operation]) => [method, operationFacts(operation)]);
  return { "": { parameters: parameterList(parameters) }, ...Object.fromEntries(facts) };
}

interface Content {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
}

function operationFacts(operation: Json): Json {
  const { operationId, parameters, requestBody, responses, tags } = operation;
  const kind = operation["x-kubernetes-group-version-kind"];
  const answers = Object.entries(responses as Readonly<Record<string, Content>>);
  return {
    id: operationId,
    tags,
    action: operation["x-kubernetes-action"],
    ...(kind === undefined ? {} : { kind: kindText(kind as Json) }),
    parameters: parameterList(parameters),
    body: schemaText(requestBody as Content | undefined),
    consumes: mediaTypes([requestBody as Content | undefined]),
    produces: mediaTypes(answers.map(([, answer]) => answer)),
    ...Object.fromEntries(answers.map(([code, answer]) => [code, schemaText(answer)])),
  };
}

/** Returns the schema's name; all media types have the same schema. */
function schemaText({ content = {}, required }: Content = {}): string {
  const names = Object.values(content).map(({ schema = {} }) =>
    String(schema["$ref"] ?? schema["type"]).replace(prefix, ""),
  );
  return [...new Set(names)].join(" ") + (required === true ? "!" : "");
}

function mediaTypes(holders: readonly (Content | undefined)[]): string {
  const types = holders.flatMap((holder) => Object.keys(holder?.content ?? {}));
  return [...new Set(types.map((type) => type.replace("application/", "")))].sort().join(" ");
}

/** Returns parameters by name, place and type: `limit?integer`, `name/string`. */
function parameterList(parameters: unknown): string {
  const texts = ((parameters ?? []) as readonly Json[]).map((parameter) => {
    const { name, in: where, required, schema } = parameter;
    const type = (schema as Json)["type"];
    return `${String(name)}${where === "query" ? "?" : "/"}${String(type)}${required === true ? "!" : ""}`;
  });
  return texts.sort().join(" ");
}

/** Returns one line for each aspect that differs: `name place aspect: ours, theirs`. */
export function differences(ours: ReadonlyMap<string, Facts>, theirs: ReadonlyMap<string, Facts>): string[] {
  const lines: string[] = [];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const [a = {}, b = {}] = [ours.get(name), theirs.get(name)];
    for (const place of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const [x, y] = [aspectsOf(a[place]), aspectsOf(b[place])];
      for (const aspect of new Set([...Object.keys(x), ...Object.keys(y)])) {
        const [mine, other] = [x[aspect], y[aspect]].map((value) => JSON.stringify(value) ?? "none");
        if (mine !== other) lines.push(`${name} ${place} ${aspect}: ${mine}, ${other}`);
      }
    }
  }
  return lines;
}

/** Returns the aspects of a place; each parameter is an aspect. */
function aspectsOf({ parameters, ...others }: Facts[string] = {}): Readonly<Record<string, unknown>> {
  const names = typeof parameters === "string" ? parameters.split(" ") : [];
  return { ...others, ...Object.fromEntries(names.map((name) => [`parameter ${name}`, true])) };
}
