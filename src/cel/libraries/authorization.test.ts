import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { environment } from "../environment.ts";
import { standardLibrary } from "../standard/library.ts";
import { CelError } from "../values.ts";
import { type Access, authorization, Authorizer, authorizerType, type Question } from "./authorization.ts";

const declared = environment({
  libraries: [standardLibrary, authorization({ isNamespace: Boolean, isServiceAccount: Boolean })],
  variables: { authorizer: authorizerType },
});

/** Evaluates an expression and records the requests to the authorizer. */
function ask(source: string) {
  const asked: [string, Question][] = [];
  const access = (user: string): Access => ({
    decide: (question) => {
      asked.push([user, question]);
      const isBroken = question.verb === "break";
      return { allowed: !isBroken, reason: "because", error: isBroken ? "broken" : undefined };
    },
    forServiceAccount: (namespace, name) => access(`${namespace}/${name}`),
  });
  const compiled = compile(declared, source);
  if (!compiled.ok) throw new Error(compiled.message);
  const bindings = { authorizer: new Authorizer(access("alice")) };
  const { result, cost } = compiled.program.evaluate(bindings, 1_000_000);
  return { value: result instanceof CelError ? `error: ${result.message}` : result, cost, asked };
}

const nothing = {
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

test("a check sends everything that the previous calls set", () => {
  const { value, asked } = ask(
    "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('d').fieldSelector('a=b').labelSelector('c').check('get').allowed()",
  );
  const parts = { subresource: "scale", namespace: "n", name: "d", fieldSelector: "a=b", labelSelector: "c" };
  const question = { type: "resource", verb: "get", group: "apps", resource: "deployments", ...parts };
  expect([value, asked]).toEqual([true, [["alice", question]]]);
});

test("a ServiceAccount can be checked", () => {
  const { asked } = ask("authorizer.serviceAccount('n', 'a').path('/healthz').check('get').allowed()");
  expect(asked).toEqual([["n/a", { type: "path", path: "/healthz", verb: "get" }]]);
});

test("a second check does not inherit from the first", () => {
  const { asked } = ask(
    "[authorizer.group('')].all(g, g.resource('a').name('x').check('b').allowed() && g.resource('c').check('d').allowed())",
  );
  const question = { type: "resource", group: "", ...nothing };
  expect(asked.map(([, one]) => one)).toEqual([
    { ...question, resource: "a", name: "x", verb: "b" },
    { ...question, resource: "c", verb: "d" },
  ]);
});

test.each<[string, unknown]>([
  ["authorizer.path('/').check('get').reason()", "because"],
  ["authorizer.path('/').check('break').errored()", true],
  ["authorizer.path('/').check('break').error()", "broken"],
  ["authorizer.path(' ')", "error: path must not be empty"],
  ["authorizer.group('').resource('')", "error: resource must not be empty"],
  ["authorizer.serviceAccount('', 'a')", "error: Invalid service account namespace"],
  ["authorizer.serviceAccount('n', '')", "error: Invalid service account name"],
  ["authorizer == authorizer", "error: no such overload"],
])("%s is %j", (source, value) => {
  expect(ask(source).value).toEqual(value);
});

test("the budget of an expression permits two checks", () => {
  const check = "authorizer.path('/').check('get').allowed()";
  expect(ask(check).cost).toBe(350_003);
  expect(ask(`${check} && ${check}`).value).toBe(true);
  expect(ask(`${check} && ${check} && ${check}`).value).toBe(
    "error: operation cancelled: actual cost limit exceeded",
  );
});
