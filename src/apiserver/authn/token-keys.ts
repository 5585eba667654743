import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** PEM texts. */
export interface TokenKeyTexts {
  /** Signs new tokens. */
  readonly privateKey: string;
  /**
   * One or more keys, one PEM block each: tokens signed with any of them are valid. Keys are rotated by
   * adding new ones.
   */
  readonly publicKey: string;
}

export interface TokenKey {
  /** The key's name in token headers. */
  readonly kid: string;
  /** The only algorithm that the key is used with (RFC 7518): a token does not choose it. */
  readonly alg: string;
  readonly key: KeyObject;
}

/** The keys of service-account tokens. */
export class TokenKeys {
  readonly signing: TokenKey;
  /** Every key that verifies tokens, the signing key first. */
  readonly verifying: readonly TokenKey[];

  constructor({ privateKey, publicKey }: TokenKeyTexts) {
    const own = createPrivateKey(privateKey);
    const first = describe(createPublicKey(own));
    const others = publicKeyBlocks(publicKey).map((block) => describe(createPublicKey(block)));
    this.signing = { ...first, key: own };
    this.verifying = [first, ...others].filter(
      ({ kid }, i, all) => all.findIndex((one) => one.kid === kid) === i,
    );
  }

  /** Returns the keys that a token may have been signed with: all keys if its header names none. */
  named(kid: string | undefined): readonly TokenKey[] {
    return kid === undefined ? this.verifying : this.verifying.filter((one) => one.kid === kid);
  }

  /** The keys as JSON Web Keys (RFC 7517), with which other parties verify tokens. */
  get published(): readonly object[] {
    return this.verifying.map(({ kid, alg, key }) => ({
      use: "sig",
      kid,
      alg,
      ...key.export({ format: "jwk" }),
    }));
  }
}

function publicKeyBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
}

/** Names the key as upstream, by a digest of its DER form, which reveals nothing about the key. */
function describe(key: KeyObject): TokenKey {
  const kid = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { kid, alg: algorithmOf(key), key };
}

const curves: ReadonlyMap<string | undefined, string> = new Map([
  ["prime256v1", "ES256"],
  ["secp384r1", "ES384"],
  ["secp521r1", "ES512"],
]);

/** @throws Error for a key that cannot sign tokens. */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === "rsa") return "RS256";
  const alg = type === "ec" ? curves.get(details?.namedCurve) : undefined;
  if (alg === undefined)
    throw new Error(
      `Cannot sign tokens with a key of type ${type}: it must be RSA, or EC on P-256, P-384 or P-521`,
    );
  return alg;
}
