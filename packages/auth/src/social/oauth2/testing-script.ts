import { handshake, type HandshakeOptions } from './testing-handshake.ts'

/** Replies by the end of the path, in place of a provider; what was asked is kept. */
export function createScriptedFetch(replies: Readonly<Record<string, string | (() => Response)>>) {
  const asked: Request[] = []
  const fetch = async (request: Request): Promise<Response> => {
    asked.push(request)
    const { pathname } = new URL(request.url)
    const found = Object.entries(replies).find(([end]) => pathname.endsWith(end))?.[1]
    if (found === undefined) return new Response('Not found', { status: 404 })
    return typeof found === 'string' ? new Response(found) : found()
  }
  return { asked, fetch }
}

/** What a person comes back with. */
export const CODE = new URLSearchParams({ code: 'a-code' })

/** Signs in where the provider is a script. */
export async function signIn(
  provider: string,
  replies: Parameters<typeof createScriptedFetch>[0],
  options: HandshakeOptions = {},
  params = CODE,
) {
  const { asked, fetch } = createScriptedFetch(replies)
  const { begin, finish, clock } = await handshake(provider, { ...options, fetch })
  const begun = await begin()
  const identity = await finish(begun, params)
  return { identity, asked, clock }
}
