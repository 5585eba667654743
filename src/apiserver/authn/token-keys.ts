import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** PEM texts. */
export interface TokenKeyTexts {
  /** Signs new tokens. */
  readonly privateKey: string;
  /** One or more keys, one PEM block each: tokens signed with any of them hold. Keys are rotated by adding to them. */
  readonly publicKey: string;
}

export interface TokenKey {
  /** The key's name in token headers. */
  readonly kid: string;
  /** The one algorithm that the key is used with (RFC 7518): a token does not choose it. */
  readonly alg: string;
  readonly key: KeyObject;
}

/** The keys of service-account tokens. */
export class TokenKeys {
  readonly signing: TokenKey;
  /** Every key that verifies tokens, the signing one first. */
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

  /** The keys that a token may have been signed with: all where its header names none. */
  named(kid: string | undefined): readonly TokenKey[] {
    return kid === undefined ? this.verifying : this.verifying.filter((one) => one.kid === kid);
  }

  /** As others need them to verify tokens: JSON Web Keys (RFC 7517). */
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

/** Named as upstream names keys, by a digest of their DER form: it says nothing of the key. */
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

/** @throws Error for a key that signs no tokens. */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === "rsa") return "RS256";
  const alg = type === "ec" ? curves.get(details?.namedCurve) : undefined;
  if (alg === undefined)
    throw new Error(
      `Cannot sign tokens with a key of type ${type}: it must be RSA, or EC on P-256, P-384 or P-521`,
    );
  return alg;
}
