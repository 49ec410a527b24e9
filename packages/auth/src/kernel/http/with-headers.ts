/** What of a request says who the caller is. */
export interface WithHeaders {
  readonly headers: { get(name: string): string | null }
}
