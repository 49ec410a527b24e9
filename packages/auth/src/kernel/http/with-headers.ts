/** The part of a request that identifies the caller. */
export interface WithHeaders {
  readonly headers: { get(name: string): string | null }
}
