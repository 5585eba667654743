import { expect, test } from "vitest";
import type { Secret } from "./schema.ts";
import { keyPairWarnings } from "./warnings.ts";

/** Made with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes`. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUZQLYwavGEsFT5SzYO0C2XbvChqYwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjIxNTQ0NDRaGA8yMTI2MTAyOTE1NDQ0NFow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCeTsuYrj3wV
xKbGIGnXlok7VtMslMMK5vgzqfm9P+IWLDMi06Aw+4G3lTdwK6kVOJ2kRE0DZXV4
MqRY8jSjOySjUzBRMB0GA1UdDgQWBBR9+Ce0Jqq5+KdWPMN3uGJi7tawNjAfBgNV
HSMEGDAWgBR9+Ce0Jqq5+KdWPMN3uGJi7tawNjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIQCcJ4P8ocHEB0nwGF9cSXzEoEQqwnGg3qcU/6fFj4Mt
pAIgH+pPssF1Sl/goy9zEJwg2yuNuIWr/v9nyXuCB+Uv1Cw=
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ9lJszBsZlpXfGm5
Wf0Y0jHfvubsNglV8GHcMsN2P7+hRANCAAQnk7LmK498FcSmxiBp15aJO1bTLJTD
Cub4M6n5vT/iFiwzItOgMPuBt5U3cCupFTidpERNA2V1eDKkWPI0ozsk
-----END PRIVATE KEY-----
`;
const otherKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPK0331Z0/mvcd4Mp
pWv2/k9XfRL13a9T9isvw5cJIauhRANCAAQnQe7qnGWROKev0/H72ffMa85neCEn
Fc2Q6kQkDipZA1oV+ZkVjf0UW5v23nyakYegWptsRtw/HZGFNTpgc0Vs
-----END PRIVATE KEY-----
`;
const keyOfOtherType = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIOQyAVOIBh/D3hmADZCZrxs54D4fo0rJAiBNRQqjNusV
-----END PRIVATE KEY-----
`;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const warnings = (crt: string, secret: string, type = "kubernetes.io/tls") =>
  keyPairWarnings({
    type,
    data: { "tls.crt": base64(crt), "tls.key": base64(secret) },
  } as Partial<Secret> as Secret);

/** Go's `tls.X509KeyPair`. */
test.each<[what: string, crt: string, key: string, problem?: string]>([
  ["a pair", certificate, key],
  ["a pair, with text around it", `a\n${certificate}b\n`, `c\n${key}`],
  ["a pair, after another block", key + certificate, certificate + key],
  ["a key of another pair", certificate, otherKey, "private key does not match public key"],
  ["a key of another type", certificate, keyOfOtherType, "private key type does not match public key type"],
  ["nothing", "", "", "failed to find any PEM data in certificate input"],
  ["no key", certificate, "x", "failed to find any PEM data in key input"],
  [
    "a pair in the wrong order",
    key,
    certificate,
    "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    "a certificate twice",
    certificate,
    certificate,
    "found a certificate rather than a key in the PEM for the private key",
  ],
])("%s", (_, crt, secret, problem) => {
  expect(warnings(crt, secret)).toEqual(problem === undefined ? [] : [`tls: ${problem}`]);
  expect(warnings(crt, secret, "Opaque")).toEqual([]);
});

// In quadratic time, the test would run for many minutes.
test("reading takes linear time", () => {
  expect(warnings(`-----BEGIN A-----${"\n".repeat(500_000)}`, "")).toHaveLength(1);
});
