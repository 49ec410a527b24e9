/** An answer of the JSON API. */
export interface AppAnswer {
  readonly status: number
  readonly body: { readonly data?: unknown; readonly meta?: Readonly<Record<string, unknown>> }
}

/** An app that speaks the JSON API of accounts: it keeps the token of its session. */
export interface AppClient {
  /** `null`: none yet. */
  token(): string | null
  /** @param path Below `/_allauth/app/v1/`. */
  call(method: string, path: string, body?: unknown): Promise<AppAnswer>
}

/** @param base Address of the server. */
export function appClient(base: string): AppClient {
  let token: string | null = null
  return {
    token: () => token,
    async call(method, path, body) {
      const response = await fetch(new URL(`/_allauth/app/v1/${path}`, base), {
        method,
        headers: {
          ...(token !== null && { 'x-session-token': token }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!text.startsWith('{')) throw new Error(`${method} ${path} answered ${response.status} ${text.slice(0, 200)}`)
      const answer = JSON.parse(text) as AppAnswer['body'] // every answer of that API is an object
      const told = answer.meta?.['session_token']
      if (typeof told === 'string') token = told
      return { status: response.status, body: answer }
    },
  }
}
