import type { PlatformIo } from '../../platform-io.ts'
import { SetupFailure, type SetupGuide, type SetupWorld } from '../../setup/guide.ts'
import { pasteGuide } from '../../setup/paste.ts'
import { readJson, runCall } from '../wire/call.ts'
import { filled, type Json, object } from '../wire/json.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import { ANSWER_BYTES } from './diagnose.ts'

const CREATE = 'https://work.weixin.qq.com/wework_admin/frame#/aiHelper/create'

const paste = pasteGuide({
  title: 'Create a smart bot in the admin console',
  url: CREATE,
  instructions: [
    `Open ${CREATE} and sign in as an administrator of your company. If you have no company, create one first.`,
    'Choose API mode in the panel at the lower right.',
    'Set the connection type to "long connection".',
    'Set the visibility range to the top-level company node so that everyone can find the bot.',
    'Click "Get Secret", then copy the Bot ID and Secret before you save.',
    'Save, name the bot, confirm, and save again.',
    'Everyone can find the bot in WeCom under Contacts > Smart Bot, and add it to groups from there.',
  ],
  fields: [
    { name: 'bot_id', label: 'Bot ID', secret: false },
    { name: 'secret', label: 'Secret', secret: true },
  ],
})

const CALL_MS = 10_000
const POLL_MS = 3_000
const LIFE_MS = 5 * 60_000
/** Polls in a row that may stay without an answer, two minutes of them: who gives up loses a bot that is created meanwhile. */
const MISSED_POLLS = 40
/** By the vendor's own tool: Linux. */
const PLATFORM = '3'
const SOURCE = 'gatepost'

/** @see The vendor's command line tool; not documented, and the label may have to stand in a list */
const qr: SetupGuide = {
  kind: 'qr',
  title: 'Create a smart bot by QR code',
  instructions: [
    'Open WeCom on your phone and scan the code.',
    'Confirm the new bot on your phone.',
    "If WeCom doesn't offer this to your company, use the admin console instead.",
  ],
  run: scanForCredentials,
}

/** The easiest way first; the code is not offered to every company. */
export const wecomSetups: readonly SetupGuide[] = [paste, qr]

async function scanForCredentials(world: SetupWorld, signal: AbortSignal): Promise<void> {
  const { io } = world
  const { scode, authUrl } = await requestCode(io, signal)
  const expiresAtMs = io.clock.now() + LIFE_MS
  const show = (state: 'waiting' | 'scanned', message: string): void =>
    world.show({ state, url: authUrl, scannable: true, expiresAtMs, message })
  show('waiting', 'Scan the code with WeCom on your phone.')
  for (let missed = 0; ; ) {
    await io.clock.sleep(POLL_MS, signal)
    if (signal.aborted) return
    const answer = await fetchSetup(io, `/ai/qc/query_result?scode=${encodeURIComponent(scode)}`, signal)
    if (signal.aborted) return
    missed = answer === null ? missed + 1 : 0
    if (missed >= MISSED_POLLS) throw new SetupFailure('unreachable')
    const found = readResult(answer)
    if (found.state === 'success') return world.save({ bot_id: found.botId, secret: found.secret })
    if (found.state === 'scanned') show('scanned', 'Confirm on your phone.')
    else if (found.state !== 'waiting') throw new SetupFailure(found.state)
    if (io.clock.now() >= expiresAtMs) throw new SetupFailure('expired')
  }
}

async function requestCode(io: PlatformIo, signal: AbortSignal): Promise<{ scode: string; authUrl: string }> {
  const answer = await fetchSetup(io, `/ai/qc/generate?source=${SOURCE}&plat=${PLATFORM}`, signal)
  if (answer === null) throw new SetupFailure('unreachable')
  const data = object(answer['data'])
  const scode = filled(data?.['scode'])
  const authUrl = filled(data?.['auth_url'])
  const isOpened = parseTrustedUrl(authUrl, 'web', { configured: setupHost(io) }) !== null
  if (scode === undefined || authUrl === undefined || !isOpened) {
    const message = "WeCom doesn't offer QR code setup here. Create the bot in the admin console instead."
    throw new SetupFailure('not_available', message)
  }
  return { scode, authUrl }
}

type Result =
  | { readonly state: 'waiting' | 'scanned' | 'expired' | 'refused' | 'not_available' }
  | { readonly state: 'success'; readonly botId: string; readonly secret: string }

/** Of the states only `success` is known; the others are told apart by their words. */
function readResult(answer: Json | null): Result {
  const data = object(answer?.['data'])
  const status = filled(data?.['status'])?.toLowerCase() ?? ''
  if (status === 'success') {
    const info = object(data?.['bot_info'])
    const botId = filled(info?.['botid'])
    const secret = filled(info?.['secret'])
    return botId === undefined || secret === undefined
      ? { state: 'not_available' }
      : { state: 'success', botId, secret }
  }
  if (/expire|timeout/.test(status)) return { state: 'expired' }
  if (/refuse|reject|cancel|deny|denied/.test(status)) return { state: 'refused' }
  return { state: /^scan+ed$/.test(status) ? 'scanned' : 'waiting' }
}

const setupHost = (io: PlatformIo): string => io.host('GATEPOST_WECOM_SETUP_URL', 'https://work.weixin.qq.com')

/** `null`: no answer. What is no JSON object counts as an empty one. */
async function fetchSetup(io: PlatformIo, path: string, signal: AbortSignal): Promise<Json | null> {
  const got = await runCall(io, { signal, timeoutMs: CALL_MS }, async (over) => {
    const response = await io.fetch(`${setupHost(io)}${path}`, { signal: over, redirect: 'manual' })
    const body = object(await readJson(response, ANSWER_BYTES)) ?? {}
    return response.status >= 500 ? null : { body }
  })
  return got !== null && 'body' in got ? got.body : null
}
