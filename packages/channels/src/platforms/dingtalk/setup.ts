import { ChannelError, type ChannelErrorCode } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { SetupFailure, type SetupGuide, type SetupStep, type SetupWorld } from '../../setup/guide.ts'
import { pasteGuide } from '../../setup/paste.ts'
import { type CallLimits, hiding } from '../wire/call.ts'
import { filled, type Json } from '../wire/json.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { callJson, namedUrl, number, oapiUrl } from './http.ts'
import { type Answer, sentenceOf, strange } from './outcome.ts'

const CALL_MS = 15_000
/** FAIL, EXPIRED and a network that is gone may pass: so long they are not believed. */
const PATIENCE_MS = 120_000
/** A robot that was made just now can connect only after a while. */
const FIRST_STREAM_MS = 60_000
const FIRST_STREAM_EVERY_MS = 3_000
const SAVE_TRIES = 5
const MAY_PASS: ReadonlySet<ChannelErrorCode> = new Set(['platform_unreachable', 'credentials_rejected'])

const WAITING = 'Scan the code with DingTalk, choose the organisation and tap "create new robot".'

/** Makes a new robot by a code that is scanned; robot, stream mode and permissions are set up by DingTalk itself. */
const qrGuide: SetupGuide = {
  kind: 'qr',
  title: 'Create a robot by QR code',
  instructions: [
    'Open DingTalk on your phone and scan the code.',
    'Choose the organisation that the robot is for, and tap "create new robot".',
    'Then write to the robot in DingTalk, or add it to a group and mention it there.',
  ],
  async run(world, signal) {
    const code = await beginRegistration(world.io, { signal, timeoutMs: CALL_MS })
    signal.throwIfAborted()
    if (!code.ok) throw new SetupFailure('unreachable', `DingTalk gave no code to scan: ${sentenceOf(code.failure)}.`)
    const shown = {
      url: code.result.url,
      scannable: true,
      expiresAtMs: world.io.clock.now() + code.result.lifeMs,
    } as const
    world.show({ ...shown, state: 'waiting', message: WAITING })
    const { clientId, clientSecret } = await confirmed(world, code.result, signal)
    const credentials = { client_id: clientId, client_secret: clientSecret }
    await firstStream(world, credentials, shown, signal)
    await save(world, credentials, signal)
  },
}

/** The ways to get credentials for DingTalk. @see https://open-dev.dingtalk.com */
export const dingtalkSetups: readonly SetupGuide[] = [
  qrGuide,
  pasteGuide({
    title: 'Paste the Client ID and the Client Secret of an app',
    url: 'https://open-dev.dingtalk.com',
    instructions: [
      'Open https://open-dev.dingtalk.com, sign in as a developer of your organisation and create an internal app.',
      'Add the "robot" capability to the app and choose "Stream" as its message mode.',
      'Give the app the permission qyapi_robot_sendmsg; for answers that can be seen while they are written also Card.Instance.Write and Card.Streaming.Write.',
      'Publish a version of the app, visible to everybody who shall reach the robot.',
      'Copy Client ID and Client Secret from the page "Credentials and basic information".',
    ],
    fields: [
      { name: 'client_id', label: 'the Client ID (AppKey)', secret: false },
      { name: 'client_secret', label: 'the Client Secret (AppSecret)', secret: true },
    ],
  }),
]

type Success = Extract<Registration, { status: 'success' }>
type Failed = Exclude<Registration, { status: 'success' | 'waiting' }>

/** @throws {SetupFailure} and the reason of `signal`. */
async function confirmed(world: SetupWorld, code: DeviceCode, signal: AbortSignal): Promise<Success> {
  const { io } = world
  const expiresAtMs = io.clock.now() + code.lifeMs
  let doubtedSinceMs: number | null = null
  for (;;) {
    const answer = await pollRegistration(io, code.deviceCode, { signal, timeoutMs: CALL_MS })
    signal.throwIfAborted()
    const nowMs = io.clock.now()
    const result = answer.ok ? answer.result : null
    if (result?.status === 'success') return result
    if (result?.status === 'waiting') {
      if (nowMs >= expiresAtMs) throw new SetupFailure('expired')
      doubtedSinceMs = null
    } else {
      doubtedSinceMs ??= nowMs
      const failure = result === null ? unreachable(answer) : endOf(result)
      if (nowMs - doubtedSinceMs >= PATIENCE_MS) throw failure
    }
    await io.clock.sleep(code.pollMs, signal)
    signal.throwIfAborted()
  }
}

function unreachable(answer: Answer<Registration>): SetupFailure {
  const why = answer.ok ? '' : ` (${sentenceOf(answer.failure)})`
  return new SetupFailure('unreachable', `DingTalk could not be asked whether the code was scanned${why}.`)
}

function endOf(result: Failed): SetupFailure {
  if (result.status !== 'failed') return new SetupFailure('expired')
  const words = result.words === '' ? '' : ` (${result.words})`
  return new SetupFailure('refused', `The robot was not created${words}. Start again.`)
}

/** Nobody could scan these a second time: what may pass is waited for. @throws {ChannelError} */
async function save(world: SetupWorld, credentials: DingtalkCredentials, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await world.save({ ...credentials })
    } catch (error) {
      const mayPass = error instanceof ChannelError && MAY_PASS.has(error.code)
      if (!mayPass || tries >= SAVE_TRIES) throw error
    }
    await world.io.clock.sleep(FIRST_STREAM_EVERY_MS, signal)
    signal.throwIfAborted()
  }
}

/** Waits until the new robot may connect. Not longer than a minute: the connection itself goes on trying. */
async function firstStream(
  world: SetupWorld,
  credentials: DingtalkCredentials,
  shown: Pick<SetupStep, 'url' | 'scannable' | 'expiresAtMs'>,
  signal: AbortSignal,
): Promise<void> {
  const { io } = world
  const client = openClient(credentials, io)
  const untilMs = io.clock.now() + FIRST_STREAM_MS
  let said = false
  for (;;) {
    const answer = await client.openStream({ signal, timeoutMs: CALL_MS })
    signal.throwIfAborted()
    if (answer.ok || io.clock.now() >= untilMs) return
    if (!said) {
      world.show({ ...shown, state: 'scanned', message: 'The robot is there. DingTalk is making it ready to connect.' })
    }
    said = true
    await io.clock.sleep(FIRST_STREAM_EVERY_MS, signal)
    signal.throwIfAborted()
  }
}

/**
 * Names the kind of program that asks for a robot. DingTalk assigns these names and may refuse others; no way is known
 * to get one of our own, so this is the one that the vendor's published tools use. It is sent nowhere else.
 */
const SOURCE = 'DING_DWS_CLAW'

const DEFAULT_LIFE_S = 7_200
const DEFAULT_POLL_S = 3

/** What the person scans, and how it is asked after. */
interface DeviceCode {
  readonly url: string
  readonly deviceCode: string
  readonly lifeMs: number
  readonly pollMs: number
}

type Registration =
  | { readonly status: 'waiting' }
  | { readonly status: 'success'; readonly clientId: string; readonly clientSecret: string }
  /** `words`: the platform's own. */
  | { readonly status: 'failed' | 'expired'; readonly words: string }

/** Begins a registration by device code. */
async function beginRegistration(io: PlatformIo, limits: CallLimits): Promise<Answer<DeviceCode>> {
  const begun = await call(io, 'init', { source: SOURCE }, limits)
  if (!begun.ok) return begun
  const answer = await call(io, 'begin', { nonce: filled(begun.result['nonce']) ?? '' }, limits)
  if (!answer.ok) return answer
  const url = namedUrl(answer.result['verification_uri_complete'], 'page', oapiUrl(io))
  const deviceCode = filled(answer.result['device_code'])
  if (url === null || deviceCode === undefined) return strange('DingTalk gave no code to scan')
  return {
    ok: true,
    result: {
      url: url.href,
      deviceCode,
      lifeMs: seconds(answer.result['expires_in'], DEFAULT_LIFE_S, DEFAULT_LIFE_S),
      pollMs: seconds(answer.result['interval'], DEFAULT_POLL_S, 60),
    },
  }
}

/** How the registration stands. */
async function pollRegistration(io: PlatformIo, deviceCode: string, limits: CallLimits): Promise<Answer<Registration>> {
  const answer = await call(io, 'poll', { device_code: deviceCode }, limits)
  if (!answer.ok) return answer
  const words = filled(answer.result['fail_reason'])?.slice(0, 200) ?? ''
  switch (answer.result['status']) {
    case 'WAITING':
      return { ok: true, result: { status: 'waiting' } }
    case 'SUCCESS': {
      const [clientId, clientSecret] = [filled(answer.result['client_id']), filled(answer.result['client_secret'])]
      if (clientId === undefined || clientSecret === undefined) return strange('DingTalk confirmed without credentials')
      return { ok: true, result: { status: 'success', clientId, clientSecret } }
    }
    case 'EXPIRED':
      return { ok: true, result: { status: 'expired', words } }
    case 'FAIL':
      return { ok: true, result: { status: 'failed', words } }
    default:
      return strange('DingTalk did not say how the registration stands')
  }
}

const call = (io: PlatformIo, step: string, json: Json, limits: CallLimits): Promise<Answer<Json>> =>
  callJson(
    io,
    { method: 'POST', url: `${oapiUrl(io)}/app/registration/${step}`, json, kind: 'errcode' },
    limits,
    hiding(),
  )

const seconds = (value: unknown, fallback: number, most: number): number =>
  Math.min(Math.max(number(value) ?? fallback, 1), most) * 1_000
