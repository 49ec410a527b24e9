/** Whose session at a provider it is. */
export interface SamlSubject {
  readonly nameId: string
  /** Empty: not told. */
  readonly nameIdFormat: string
  /** Empty: all of them. */
  readonly sessionIndex: string
}
