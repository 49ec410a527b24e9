import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConsoleWorld, consoleWorld, PERSON } from './console-world.ts'

/** A world with made-up data on every page, the same in every run. */
export interface FullWorld extends ConsoleWorld {
  /** Path of the conversation with Grace. */
  readonly conversation: string
  /** Secrets that no response and no page may contain. */
  readonly secrets: readonly string[]
}

const PLATFORMS = ['telegram', 'feishu', 'discord', 'wecom', 'weixin'] as const
const GRACE = { id: '501', name: 'Grace Hopper' }
const REFUSED = { kind: 'error', code: 400, description: 'Bad Request: made up', method: 'sendMessage' }
const SECRET_NAME = /secret|token|key/i
const MODEL_KEY = 'made-up-key-of-a-model-4711'
const SOCIAL_SECRET = 'made-up-secret-of-an-app'

/** Creates channels in several states, messages, failures, accounts, providers, clients and tokens. */
export async function fullWorld(): Promise<FullWorld> {
  const world = await consoleWorld(PLATFORMS)
  try {
    await connectChannels(world)
    const conversation = await createConversations(world)
    const made = await createRecords(world)
    const secrets = [...(await botSecrets(world)), ...made, PERSON.password, MODEL_KEY, SOCIAL_SECRET]
    return { ...world, conversation, secrets: [...secrets, await ownerToken(world)] }
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
}

type Answer = Readonly<Record<string, unknown>>

async function call(world: ConsoleWorld, method: string, path: string, body?: unknown): Promise<Answer> {
  return (await world.gatepost.call(method, path, body)) as Answer // every API response is an object
}

async function waitUntil(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (await isDone()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Timed out waiting for ${what}.`)
}

async function connectChannels(world: ConsoleWorld): Promise<void> {
  for (const platform of ['telegram', 'feishu', 'discord', 'wecom'] as const) await world.connect(platform)
  await call(world, 'DELETE', '/api/channels/discord')
}

/** Creates conversations with a delivered and a rejected message. @returns the path of one */
async function createConversations(world: ConsoleWorld): Promise<string> {
  const { control } = world.emulator('telegram')
  for (const text of ['Can you explain compilers?', 'And linkers, please']) {
    const before = (await control.sent()).length
    await control.say({ from: GRACE, text })
    await waitUntil('an answer', async () => (await control.sent()).length > before)
  }
  await world.emulator('feishu').control.say({ from: { id: 'ou_lin', name: 'Lin' }, text: 'Good morning' })
  await waitUntil('two conversations', async () => (await conversations(world)).length === 2)
  await call(world, 'POST', '/api/channels/telegram/send', { user_id: GRACE.id, message: 'The **build** is done.' })
  await control.injectFault(REFUSED)
  await world.gatepost
    .call('POST', '/api/channels/telegram/send', { user_id: GRACE.id, message: 'This one is refused.' })
    .catch(() => undefined) // intended
  await waitUntil('a failed message', async () => {
    const { items } = await call(world, 'GET', '/api/deliveries?dead=true')
    return Array.isArray(items) && items.length === 1
  })
  const withGrace = (await conversations(world)).find((one) => one['platform'] === 'telegram')
  return `conversations/${encodeURIComponent(String(withGrace?.['id']))}`
}

async function conversations(world: ConsoleWorld): Promise<readonly Answer[]> {
  return (await call(world, 'GET', '/api/conversations'))['items'] as readonly Answer[] // the API's shape
}

/** Creates the other records. @returns their secrets */
async function createRecords(world: ConsoleWorld): Promise<readonly string[]> {
  const post = (path: string, body: unknown): Promise<Answer> => call(world, 'POST', path, body)
  await post('/api/invitations', { email: 'cy@example.org', staff: true })
  const { url } = await post('/api/invitations', { email: 'bo@example.org' })
  await (await world.join(String(url), 'bo@example.org')).close()
  await post('/api/admin/social-apps', { provider: 'github', client_id: 'made-up-client', secret: SOCIAL_SECRET })
  const { secret } = await post('/api/admin/clients', {
    name: 'Wiki',
    scopes: ['openid', 'profile'],
    redirect_uris: ['https://wiki.example.org/back'],
  })
  const { token } = await post('/api/tokens', { name: 'Backup' })
  await call(world, 'PATCH', '/api/assistant', {
    kind: 'openai',
    base_url: 'http://127.0.0.1:9/v1',
    model: 'made-up-model',
    api_key: MODEL_KEY,
  })
  return [secret, token, url].map(String)
}

async function botSecrets(world: ConsoleWorld): Promise<readonly string[]> {
  const bots = await Promise.all(PLATFORMS.map((platform) => world.emulator(platform).control.bot()))
  return bots.flatMap(({ credentials }) =>
    Object.entries(credentials).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])),
  )
}

const ownerToken = async ({ gatepost }: ConsoleWorld): Promise<string> =>
  (await readFile(join(gatepost.dataDir, 'api-token'), 'utf8')).trim()
