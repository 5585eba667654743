import { BinaryReader, type WireType } from "@bufbuild/protobuf/wire";
import { maxValues, tooManyValues } from "../json.ts";

/**
 * A reader that limits the number of fields, with the values of embedded JSON, to the number of values in JSON. An empty
 * message takes only two bytes.
 */
export class BoundedReader extends BinaryReader {
  #values = 0;

  override tag(): [number, WireType] {
    this.count(1);
    return super.tag();
  }

  /** @throws TooManyValuesError */
  count(values: number): void {
    this.#values += values;
    if (this.#values > maxValues) throw tooManyValues();
  }
}
