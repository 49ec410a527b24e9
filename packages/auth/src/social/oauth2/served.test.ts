import { identityProviderEmulator } from '@gatepost/emulators/identity-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'
import { handshake, IDA } from './testing-handshake.ts'
import { numberedBytes } from './testing-random.ts'

const emulator = identityProviderEmulator({ now: manualClock().now, random: numberedBytes() })
emulator.signIn(IDA)
let server: Awaited<ReturnType<typeof emulator.listen>>
beforeAll(async () => {
  server = await emulator.listen()
})
afterAll(() => server.close())

it.each(PROVIDER_ENTRIES.filter(({ protocol }) => protocol === 'oauth2').map(({ id }) => id))(
  '%s can be moved to other addresses, by settings alone',
  async (provider) => {
    const { profile_url, app_token_url, ...others } = emulator.endpoints(provider)
    // Further addresses of some providers are below a setting of theirs.
    const moved: Readonly<Record<string, object>> = {
      clever: { endpoints: others, api_url: `${server.url}/clever/api.clever.com` },
      edx: { endpoints: others, edx_url: `${server.url}/edx/edx.org` },
      feishu: { endpoints: { ...others, profile_url }, app_access_token_url: app_token_url },
    }
    const settings = { endpoints: { ...others, profile_url }, ...moved[provider] }
    const asked: string[] = []
    const fetched = (request: Request): Promise<Response> => {
      asked.push(new URL(request.url).origin)
      return request.url.startsWith(server.url) ? fetch(request) : Promise.resolve(new Response('', { status: 404 }))
    }
    const { signIn } = await handshake(provider, { emulator, settings, fetch: fetched })
    expect((await signIn()).uid).toMatch(/./)
    expect(new Set(asked)).toEqual(new Set([server.url]))
  },
)
