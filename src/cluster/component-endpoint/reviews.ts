import { tokenReviews } from "../../api/authentication/v1.ts";
import { type SubjectAccessReviewSpec, subjectAccessReviews } from "../../api/authorization/v1.ts";
import type { Client } from "../../client/client.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import type { Clock } from "../../util/clock.ts";
import { Remembered } from "./remembered.ts";

/** The object of a SubjectAccessReview: a path, or a resource. */
export type ReviewedAttributes = Pick<
  SubjectAccessReviewSpec,
  "nonResourceAttributes" | "resourceAttributes"
>;

/** Asks the API server about callers: tokens by TokenReview, permissions by SubjectAccessReview. */
export class Reviews {
  readonly #client: Client;
  readonly #users: Remembered<UserInfo | undefined>;
  readonly #decisions: Remembered<boolean>;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#users = new Remembered(clock);
    this.#decisions = new Remembered(clock);
  }

  /** Returns the user of a token; undefined for an invalid one. */
  userOf(token: string): Promise<UserInfo | undefined> {
    return this.#users.get(token, async () => {
      const { status } = await this.#client.of(tokenReviews).create({ metadata: {}, spec: { token } });
      if (status.authenticated !== true) return undefined;
      const { username = "", uid = "", groups = [], extra = {} } = status.user ?? {};
      return { name: username, uid, groups, extra };
    });
  }

  isAllowed(user: UserInfo, attributes: ReviewedAttributes): Promise<boolean> {
    const { name, uid = "", groups, extra = {} } = user;
    const spec = { user: name, uid, groups, extra, ...attributes };
    return this.#decisions.get(JSON.stringify(spec), async () => {
      const { status } = await this.#client.of(subjectAccessReviews).create({ metadata: {}, spec });
      return status.allowed;
    });
  }
}
