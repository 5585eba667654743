import type { Kind, KubeObject } from "../../../meta/kind.ts";
import { mergePatch } from "../../../meta/patch/merge-patch.ts";
import { errors } from "../../../meta/status.ts";

/** An API of plain objects for tests, without validation. Keys are `plural/name`. */
export class PlainApi {
  readonly objects = new Map<string, object>();
  /** The tokens that were requested, by their bodies. */
  readonly tokens: object[] = [];

  /** Returns the client's part for a kind. */
  readonly of = ({ plural }: Kind) => {
    const key = (name: string) => `${plural}/${name}`;
    const get = (name: string): Promise<object> => {
      const found = this.objects.get(key(name));
      const missing = errors.notFound({ group: "", resource: plural }, name);
      return found === undefined ? Promise.reject(missing) : Promise.resolve(found);
    };
    const put = (object: KubeObject): Promise<object> => {
      this.objects.set(key(object.metadata.name ?? ""), object);
      return Promise.resolve(object);
    };
    return {
      get,
      create: put,
      update: put,
      patch: async (name: string, patch: object) => put(mergePatch(await get(name), patch) as KubeObject),
      subresource: () => ({
        create: (body: object) => {
          this.tokens.push(body);
          const expirationTimestamp = "2026-01-01T01:00:00Z";
          return Promise.resolve({ status: { token: `token-${this.tokens.length}`, expirationTimestamp } });
        },
      }),
    };
  };
}
