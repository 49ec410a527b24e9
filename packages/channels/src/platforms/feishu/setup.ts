import { gzipSync } from 'node:zlib'
import type { PlatformIo } from '../../platform-io.ts'
import { type SetupGuide, SetupFailure, type SetupWorld } from '../../setup/guide.ts'
import { pasteGuide } from '../../setup/paste.ts'
import { filled, integer, type Json, object } from '../wire/json.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import { ALL_SCOPES } from './bot.ts'
import { FEISHU_ACCOUNTS, FEISHU_API, feishuApi, LARK_ACCOUNTS, LARK_API } from './credentials.ts'
import { postForm } from './client.ts'

const ASK_MS = 15_000
const INTERVAL_SECONDS = 5
/** Where the answer says nothing. */
const LIFE_SECONDS = 600
const SLOW_DOWN_SECONDS = 5

/** A code that is scanned with Feishu or Lark makes an app that is ready: device grant. */
const qr: SetupGuide = {
  kind: 'qr',
  title: 'Scan a QR code',
  instructions: [
    'Scan the code with the Feishu or Lark app on your phone, or open the link in a browser where you are signed in.',
    'Confirm the new app. Its bot, scopes, and long connection are set up automatically.',
    'You become the first allowed user. To message the bot, search for its name in Feishu.',
  ],
  run: registerApp,
}

/** Values are copied from the developer console. */
const paste: SetupGuide = pasteGuide({
  title: 'Copy the App ID and App Secret from the developer console',
  url: `${FEISHU_API}/app`,
  instructions: [
    `Open ${FEISHU_API}/app (for Lark: ${LARK_API}/app) and create a custom app.`,
    'Under "Add features", add the bot.',
    `Under "Permissions & Scopes", choose "Batch import" and import these tenant scopes: ${ALL_SCOPES.join(', ')}.`,
    'Under "Credentials & Basic Info", copy the App ID and App Secret and save them here.',
    'Once the channel is running: under "Events & Callbacks", choose "Receive events through persistent connection" (Feishu saves this only while the channel is connected) and add the event im.message.receive_v1.',
    'Under "Version Management & Release", create a version and publish it. An administrator may have to approve it.',
  ],
  fields: [
    { name: 'app_id', label: 'App ID', secret: false },
    { name: 'app_secret', label: 'App Secret', secret: true },
  ],
})

/** How a person gets credentials for Feishu or Lark, the easiest way first. */
export const feishuSetups: readonly SetupGuide[] = [qr, paste]

interface Grant {
  readonly deviceCode: string
  readonly url: string
  readonly intervalSeconds: number
  readonly expiresAtMs: number
}

async function registerApp(world: SetupWorld, signal: AbortSignal): Promise<void> {
  const { io } = world
  let accounts = io.host('GATEPOST_FEISHU_ACCOUNTS_URL', FEISHU_ACCOUNTS)
  const grant = await startGrant(io, accounts, signal)
  const { url, expiresAtMs, deviceCode } = grant
  world.show({
    state: 'waiting',
    url,
    scannable: true,
    expiresAtMs,
    message: 'Scan this code with the Feishu or Lark app, then confirm on your phone.',
  })
  let seconds = grant.intervalSeconds
  let isLark = false
  for (;;) {
    await io.clock.sleep(seconds * 1_000, signal)
    signal.throwIfAborted()
    if (io.clock.now() >= expiresAtMs) throw new SetupFailure('expired')
    const answer = await pollRegistration(io, accounts, { action: 'poll', device_code: deviceCode }, signal)
    const user = object(answer?.['user_info'])
    const becameLark: boolean = !isLark && user?.['tenant_brand'] === 'lark'
    isLark ||= becameLark
    const appId = filled(answer?.['client_id'])
    const secret = filled(answer?.['client_secret'])
    if (appId !== undefined && secret !== undefined) {
      const openId = filled(user?.['open_id'])
      await world.save(
        { app_id: appId, app_secret: secret, ...chooseDomain(isLark, io) },
        openId ? { id: openId } : undefined,
      )
      return
    }
    // the account belongs to the other brand: continue there, unless custom hosts are configured
    if (becameLark && accounts === FEISHU_ACCOUNTS) accounts = LARK_ACCOUNTS
    seconds += slowDown(answer)
  }
}

/** Another host of the API that was set takes the place of both brands'. */
const chooseDomain = (isLark: boolean, io: PlatformIo): { readonly domain?: string } =>
  isLark && feishuApi(io) === FEISHU_API ? { domain: LARK_API } : {}

/**
 * How much longer to wait between polls; anything unknown is asked again until the code ends.
 * @throws {SetupFailure}
 */
function slowDown(answer: Json | null): number {
  switch (answer?.['error']) {
    case 'slow_down':
      return SLOW_DOWN_SECONDS
    case 'access_denied':
      throw new SetupFailure('refused')
    case 'expired_token':
      throw new SetupFailure('expired')
    default:
      return 0
  }
}

/** @throws {SetupFailure} `unreachable` */
async function startGrant(io: PlatformIo, accounts: string, signal: AbortSignal): Promise<Grant> {
  const form = {
    action: 'begin',
    archetype: 'PersonalAgent',
    auth_method: 'client_secret',
    request_user_info: 'open_id',
  }
  const answer = await pollRegistration(io, accounts, form, signal)
  const deviceCode = filled(answer?.['device_code'])
  const page = parseTrustedUrl(answer?.['verification_uri_complete'], 'web', { configured: accounts })
  if (deviceCode === undefined || page === null) throw new SetupFailure('unreachable')
  const life = readPositive(answer?.['expires_in'], LIFE_SECONDS, 24 * 3_600)
  return {
    deviceCode,
    url: addPresets(page),
    intervalSeconds: readPositive(answer?.['interval'], INTERVAL_SECONDS, 60),
    expiresAtMs: io.clock.now() + life * 1_000,
  }
}

const readPositive = (value: unknown, otherwise: number, max: number): number => {
  const number = integer(value)
  return number !== undefined && number > 0 ? Math.min(number, max) : otherwise
}

/** The page with what the app is to have chosen beforehand. */
function addPresets(page: URL): string {
  const addons = { scopes: { tenant: ALL_SCOPES }, events: { items: { tenant: ['im.message.receive_v1'] } } }
  const set = {
    from: 'sdk',
    tp: 'sdk',
    source: 'gatepost',
    addons: gzipSync(JSON.stringify(addons)).toString('base64url'),
  }
  for (const [name, value] of Object.entries(set)) page.searchParams.set(name, value)
  return page.href
}

/** `null`: no answer, or none that could be read. */
async function pollRegistration(
  io: PlatformIo,
  accounts: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Json | null> {
  const answer = await postForm(io, `${accounts}/oauth/v1/app/registration`, form, { signal, timeoutMs: ASK_MS })
  signal.throwIfAborted()
  return answer
}
