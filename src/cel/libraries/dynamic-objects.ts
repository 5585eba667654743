import type { TypeProvider } from "../environment.ts";
import { equal } from "../equality.ts";
import { dyn, objectType } from "../types.ts";
import type { Type } from "../type.ts";
import { type CelError, CelObject, type Value } from "../values.ts";

/**
 * An object without a schema, by which a policy specifies the new form of an object: `Object{spec:
 * Object.spec{replicas: 1}}` (`k8s.io/apiserver/pkg/cel/mutation/dynamic`).
 */
export class DynamicObject extends CelObject {
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: Type, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof DynamicObject) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const counterpart = other.fields.get(name);
      const isSame = counterpart !== undefined && equal(value, counterpart);
      if (isSame !== true) return isSame;
    }
    return true;
  }

  override field(name: string): Value | undefined {
    return this.fields.get(name);
  }
}

export const dynamicObject = objectType<DynamicObject>("Object");

const isObject = (type: string) => type === dynamicObject.name || type.startsWith(`${dynamicObject.name}.`);

export const dynamicObjectTypes: TypeProvider = {
  findType: (name) => (isObject(name) ? objectType(name) : undefined),
  findField: (type) => (isObject(type) ? dyn : undefined),
  construct: (type, fields) => new DynamicObject(objectType(type), fields),
};
