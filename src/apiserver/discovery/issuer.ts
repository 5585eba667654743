import { toJson } from "../../meta/json.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { issuer } from "../authn/service-account-tokens.ts";
import type { Context } from "../context.ts";

/**
 * Answers `/.well-known/openid-configuration`, from which other parties learn to verify ServiceAccounts'
 * tokens (KEP-1393).
 */
export function issuerConfiguration({ request, services }: Context): ApiResponse {
  // The keys are at the same host that the client used.
  const host = request.headers["host"] ?? request.headers[":authority"] ?? new URL(issuer).host;
  return published("application/json", {
    issuer,
    jwks_uri: `https://${host}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [
      ...new Set(services.tokens.keys.verifying.map(({ alg }) => alg)),
    ].sort(),
  });
}

/** Answers `/openid/v1/jwks` with the public keys (RFC 7517). */
export function issuerKeys({ services }: Context): ApiResponse {
  return published("application/jwk-set+json", { keys: services.tokens.keys.published });
}

function published(contentType: string, document: object): ApiResponse {
  const headers = { "cache-control": "public, max-age=3600" };
  return { status: 200, headers, body: { type: "bytes", contentType, bytes: Buffer.from(toJson(document)) } };
}
