import type { KeyRotation } from '../keys/key-rotation.ts'
import type { User } from '@gatepost/auth'
import type { OidcClient } from '@gatepost/auth/oidc'
import type { ShownSocialApp } from '@gatepost/auth/social'
import type { AccountRow } from '../accounts/account-store.sql.ts'
import type { AuditRow } from '../accounts/audit/audit-store.sql.ts'
import type { InvitationRow } from '../accounts/invitations/invitation-store.sql.ts'
import type { RouteParts } from '../accounts/routes.ts'
import type { TokenRow } from '../accounts/tokens/token-store.sql.ts'
import type { DemoEvent, RunningDemo } from '../demo/demo.ts'

const user: User = {
  id: 7,
  username: 'ann',
  email: 'ann@example.org',
  firstName: 'Ann',
  lastName: '',
  isActive: true,
  isStaff: true,
  isSuperuser: false,
  lastLoginMs: null,
  dateJoinedMs: 1,
  hasUsablePassword: true,
}

const token: TokenRow = {
  id: 't1',
  account_id: 'owner',
  user_id: null,
  made_by: null,
  client_id: null,
  grant_id: null,
  name: 'backup',
  token_hash: 'ab',
  scopes: 'channels:read admin',
  created_at_ms: 1,
  expires_at_ms: 2,
  last_used_at_ms: null,
  revoked_at_ms: null,
}

const invitation: InvitationRow = {
  id: 'i1',
  token_hash: 'ab',
  email: null,
  is_staff: 0,
  is_first: 0,
  created_by: 'owner',
  created_at_ms: 1,
  expires_at_ms: 2,
  used_at_ms: null,
  used_by: null,
}

const line: AuditRow = {
  id: 'a1',
  at_ms: 1,
  actor: 'owner',
  actor_kind: 'owner',
  account_id: 'owner',
  action: 'saveChannel',
  target: 'telegram',
  ip: '127.0.0.1',
  user_agent: null,
  outcome: 'ok',
  code: null,
}

const account: AccountRow = { account_id: 'owner', user_id: '7' }

const socialApp: ShownSocialApp = {
  id: 3,
  provider: 'github',
  providerId: '',
  name: 'GitHub',
  clientId: 'made-up-id',
  hasSecret: true,
  hasKey: false,
  settings: {},
  source: 'database',
  loginPath: '/accounts/github/login/',
  callbackPath: '/accounts/github/login/callback/',
}

const client: OidcClient = {
  id: 'made-up-client',
  name: 'Wiki',
  type: 'confidential',
  scopes: ['openid'],
  defaultScopes: [],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
  redirectUris: ['https://wiki.example.org/callback'],
  postLogoutRedirectUris: [],
  corsOrigins: [],
  allowUriWildcards: false,
  skipConsent: false,
  ownerId: null,
  createdAtMs: 1,
  data: {},
}

const modules = {
  social: {
    entries: async () => [{ id: 'github', name: 'GitHub', protocol: 'oauth2', needsApp: true }],
    provider: async () => ({
      record: { id: 'github', name: 'GitHub', protocol: 'oauth2', needsApp: true },
      callbackPath: '/accounts/github/login/callback/',
    }),
    apps: {
      shown: async () => [socialApp],
      create: async () => socialApp,
      update: async () => socialApp,
      remove: async () => undefined,
    },
  },
  oidc: {
    adapter: { scopeDisplay: { openid: 'Who you are' } },
    clients: {
      list: async () => [client],
      byId: async () => client,
      create: async () => ({ client, secret: 'made-up-secret' }),
      update: async () => client,
      renewSecret: async () => 'made-up-secret',
      remove: async () => undefined,
    },
  },
}

const auth = {
  kernel: {
    settings: { emailBackend: 'console', socialaccount: { enabled: true }, idpOidc: { enabled: true } },
    database: { db: {} },
    users: { list: async (): Promise<readonly User[]> => [user] },
  },
  module: (name: keyof typeof modules) => modules[name],
}

const view = {
  kind: 'openai',
  baseUrl: 'https://llm.example.org/v1',
  model: 'made-up',
  systemPrompt: 'Be kind.',
  url: null,
  program: null,
  apiKeyHint: '****abcd',
  fromEnvironment: ['kind'],
  changedAtMs: 1,
} as const
const tried = { files: 0, first_piece_ms: 1, took_ms: 2 }

const rotation: Awaited<ReturnType<KeyRotation['start']>> = {
  runner: 'a',
  keyId: 'b',
  state: 'running',
  position: null,
  total: 3,
  seen: 2,
  resealed: 1,
  unreadable: 0,
  changedAtMs: 1,
}

/** The parts about the service itself. */
const service: Pick<RouteParts, 'service' | 'assistant' | 'keyRotation' | 'logs'> = {
  service: {
    version: '1.2.3',
    publicUrl: null,
    database: 'sqlite',
    isDemo: false,
    canStartDemo: true,
    isSecondFactorRequired: false,
    nowMs: () => 1,
    assistantKind: async () => 'openai',
  },
  assistant: {
    view: async () => view,
    kind: async () => 'openai',
    change: async () => view,
    reset: async () => view,
    ask: async () => ({ text: 'Hello', ...tried }),
    stream: () => Promise.reject(new Error('no stream is asked for here')),
  },
  keyRotation: {
    start: async () => rotation,
    resume: async () => undefined,
    read: async () => rotation,
    stop: async () => undefined,
  },
  logs: {
    page: async () => ({
      lines: [{ id: '2026-01-31:0', atMs: 1, level: 'info', message: 'Gatepost is ready', fields: { port: 1 } }],
      next: null,
      days: ['2026-01-31'],
    }),
    follow: () => {
      throw new Error('nothing is followed here')
    },
  },
}

/** What the routes of accounts call, with one of each thing. */
export function fakeAccounts(): Omit<RouteParts, 'channels'> {
  const made = { token: 'made-up', row: invitation }
  return {
    ...service,
    tokens: {
      create: async () => ({ text: 'gp_made-up', row: token }),
      list: async () => [token],
      revoke: async () => undefined,
      check: async () => null,
      sweep: async () => undefined,
      settle: async () => undefined,
    },
    invitations: {
      create: async () => made,
      createFirst: async () => made,
      open: async () => invitation,
      openByHash: async () => invitation,
      list: async () => [invitation],
      revoke: async () => undefined,
    },
    audit: { page: async () => [line] },
    people: { user: async () => user },
    accounts: async () => [account],
    change: async () => user,
    factors: { listTypes: async () => ['totp'], isMissing: async () => false },
    resetAuthenticators: async () => ({ user, removed: ['totp 1'] }),
    hasAccounts: async () => true,
    demo: fakeDemo(),
    startDemo: async () => ({ url: 'http://127.0.0.1:9/demo/made-up-key' }),
    invitationLink: (text) => `https://gate.example.org/${text}`,
    auth: auth as unknown as RouteParts['auth'], // its other parts are for mail, and no invitation here is mailed
  }
}

const nothing: DemoEvent = { type: 'chat', platform: 'telegram', chat: 'ann', typing: false, ids: [], lines: [] }

/** A demo in memory, with one platform on which nothing happens. */
const fakeDemo = (): RunningDemo => ({
  platforms: [
    {
      platform: 'telegram',
      label: 'Telegram',
      groups: true,
      confirms: true,
      acts: [],
      page: 'http://127.0.0.1:9/demo',
      switches: [{ id: 'cut', label: 'Cut', hint: 'Nothing gets through.', fault: { kind: 'cut' }, lasting: true }],
    },
  ],
  people: [{ id: 'ann', name: 'Ann' }],
  group: { id: 'harbour', title: 'Harbour office' },
  key: 'made-up-key',
  act: async () => null,
  async *events() {
    yield nothing
  },
})
