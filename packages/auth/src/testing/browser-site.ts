import { serve, type ServerType } from '@hono/node-server'
import type { CDPSession, Page } from 'playwright-core'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from './auth-world.ts'

/** A site for tests with a browser. */
export interface BrowserSite {
  readonly world: AuthWorld
  /** The origin, at `localhost`, because keys can't be bound to IP addresses. */
  readonly origin: string
  close(): Promise<void>
}

/** Starts a site. @param open One of `testDatabases`; default: SQLite. */
export async function browserSite(
  settings: AuthSettingsInput,
  open?: Parameters<typeof authWorld>[1],
): Promise<BrowserSite> {
  const world = await authWorld({ settings }, open)
  const listening = Promise.withResolvers<number>()
  const server: ServerType = serve(
    { fetch: (request) => world.auth.fetch(request, { remoteAddress: '127.0.0.1' }), port: 0, hostname: '127.0.0.1' },
    ({ port }) => listening.resolve(port),
  )
  const port = await listening.promise
  return {
    world,
    origin: `http://localhost:${port}`,
    async close() {
      server.close()
      await world.close()
    },
  }
}

/** A virtual security key, or device with passkeys, of a page. @see Chrome DevTools Protocol, "WebAuthn" */
export interface VirtualAuthenticator {
  /** Resolves to the number of its credentials. */
  count(): Promise<number>
  /** Copies its credentials to another page's authenticator. */
  copyTo(other: VirtualAuthenticator): Promise<void>
  /** Unplugs it. */
  remove(): Promise<void>
  readonly id: string
  readonly session: CDPSession
}

export async function virtualAuthenticator(
  page: Page,
  { transport = 'internal' }: { readonly transport?: 'internal' | 'usb' } = {},
): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const credentials = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return {
    id: authenticatorId,
    session,
    count: async () => (await credentials()).length,
    async copyTo(other) {
      for (const credential of await credentials()) {
        await other.session.send('WebAuthn.addCredential', { authenticatorId: other.id, credential })
      }
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
