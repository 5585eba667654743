import type { Json } from "../../src/apiserver/server.suite.ts";
import type { HttpsAnswer, SendHttps } from "../../src/apiserver/webhooks/https.ts";

/**
 * A webhook that converts Hooks between v1, with `hostPort`, and v2, with `host` and `port`. The path of its URL
 * chooses a mistake, or none. The webhook that was called when the fixture `webhook.jsonl` was recorded behaves the
 * same.
 */
export const conversionWebhook: SendHttps = ({ url, body }) => {
  const path = new URL(url).pathname.slice(1);
  const { apiVersion, kind, request } = JSON.parse(body);
  const converted = request.objects.map((object: Json) => {
    const result = {
      ...object,
      apiVersion: request.desiredAPIVersion,
      spec: convertedSpec(object.spec, request),
    };
    return mistakes[path]?.(result) ?? result;
  });
  const response = {
    uid: request.uid,
    convertedObjects: converted,
    result: { status: "Success" },
    ...responses[path]?.(converted),
  };
  const review = { apiVersion, kind, ...(path === "noresponse" ? {} : { response }), ...reviews[path] };
  const answer = { status: 200, contentType: "application/json", body: JSON.stringify(review) };
  return Promise.resolve({ ...answer, ...answers[path] });
};

function convertedSpec(spec: Json, { desiredAPIVersion }: Json): Json {
  const { host, port, hostPort, ...others } = spec;
  if (desiredAPIVersion.endsWith("/v1"))
    return host === undefined ? spec : { ...others, hostPort: `${host}:${port}` };
  if (hostPort === undefined) return spec;
  const [newHost, newPort] = hostPort.split(":");
  return { ...others, host: newHost, port: newPort };
}

const withMetadata = (object: Json, metadata: Json) => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

/** Mistakes in an object, by name. */
const mistakes: Readonly<Record<string, (object: Json) => Json>> = {
  name: (object) => withMetadata(object, { name: "other" }),
  namespace: (object) => withMetadata(object, { namespace: "other" }),
  objuid: (object) => withMetadata(object, { uid: "other" }),
  kind: (object) => ({ ...object, kind: "Other" }),
  version: (object) => ({ ...object, apiVersion: "v1" }),
  nometa: ({ metadata: _, ...object }) => object,
  badmeta: (object) => ({ ...object, metadata: [] }),
  labels: (object) =>
    withMetadata(object, {
      labels: { ...object.metadata.labels, added: "yes" },
      annotations: null,
      finalizers: ["x/y"],
      generation: 99,
    }),
  badlabels: (object) => withMetadata(object, { labels: { "a b": "x!" } }),
  badannotations: (object) => withMetadata(object, { annotations: { "a b": "x!" } }),
  numlabel: (object) => withMetadata(object, { labels: { a: 5 } }),
  listlabel: (object) => withMetadata(object, { labels: [5] }),
  unknown: (object) => ({ ...object, spec: { ...object.spec, more: 5 }, status: { x: 1 } }),
};

/** Mistakes in the response, apart from its objects, by name. */
const responses: Readonly<Record<string, (converted: Json) => Json>> = {
  fail: () => ({ result: { status: "Failure", message: "no way" } }),
  failsilent: () => ({ result: { status: "Failure" } }),
  noresult: () => ({ result: undefined }),
  few: (converted) => ({ convertedObjects: converted.slice(1) }),
  many: (converted) => ({ convertedObjects: [...converted, ...converted] }),
  uid: () => ({ uid: "x" }),
};

const reviews: Readonly<Record<string, Json>> = { noreviewkind: { kind: undefined } };

const answers: Readonly<Record<string, Partial<HttpsAnswer>>> = {
  500: { status: 500, body: "broken" },
  404: { status: 404, body: "nope" },
  400: { status: 400, body: "nope" },
  503: { status: 503, body: "busy" },
  status: { status: 409, body: JSON.stringify({ kind: "Status", message: "told you" }) },
  none: { body: "" },
  null: { body: "null" },
};
