/** PEM texts of a certificate and its private key, which is in SEC 1 form, because fabric8 reads no other. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}
