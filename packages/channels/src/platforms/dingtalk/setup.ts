import { z } from 'zod'
import { ChannelError, type ChannelErrorCode } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { SetupFailure, type SetupGuide, type SetupStep, type SetupWorld } from '../../setup/guide.ts'
import { pasteGuide } from '../../setup/paste.ts'
import { type CallLimits, createRedactor } from '../wire/call.ts'
import { filled, type Json } from '../wire/json.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { callJson, parseDingtalkUrl, number, oapiUrl } from './http.ts'
import { type Answer, describeFailure, toMalformed } from './outcome.ts'

const CALL_MS = 15_000
/** FAIL, EXPIRED and a network that is gone may pass: so long they are not believed. */
const PATIENCE_MS = 120_000
/** A robot that was made just now can connect only after a while. */
const FIRST_STREAM_MS = 60_000
const FIRST_STREAM_EVERY_MS = 3_000
const SAVE_TRIES = 5
const MAY_PASS: ReadonlySet<ChannelErrorCode> = new Set(['platform_unreachable', 'credentials_rejected'])

const WAITING = 'Scan the code with DingTalk, choose the organization, and tap "Create new robot".'

/** Makes a new robot by a code that is scanned; robot, stream mode and permissions are set up by DingTalk itself. */
const qrGuide: SetupGuide = {
  kind: 'qr',
  title: 'Create a robot by QR code',
  instructions: [
    'Open DingTalk on your phone and scan the code.',
    'Choose the organization for the robot and tap "Create new robot".',
    'Message the robot in DingTalk, or add it to a group and mention it there.',
  ],
  async run(world, signal) {
    const resumed = progressSchema.safeParse(world.resumed)
    const begun = resumed.success ? resumed.data : await newRegistration(world, signal)
    const { expiresAtMs } = begun
    const shown = { url: begun.url, scannable: true, expiresAtMs } as const
    world.show({ ...shown, state: 'waiting', message: WAITING })
    const credentials = begun.credentials ?? (await waitForConfirmation(world, begun, signal))
    // DingTalk reports them once: a restart must not lose the robot that was created
    await world.keep({ ...begun, credentials }, Math.max(expiresAtMs, world.io.clock.now() + FIRST_STREAM_MS))
    signal.throwIfAborted()
    await waitForFirstStream(world, credentials, shown, signal)
    await saveWithRetry(world, credentials, signal)
  },
}

/** The ways to get credentials for DingTalk. @see https://open-dev.dingtalk.com */
export const dingtalkSetups: readonly SetupGuide[] = [
  qrGuide,
  pasteGuide({
    title: 'Paste the Client ID and Client Secret of an app',
    url: 'https://open-dev.dingtalk.com',
    instructions: [
      'Open https://open-dev.dingtalk.com, sign in as a developer of your organization, and create an internal app.',
      'Add the "robot" capability to the app and set its message mode to "Stream".',
      'Grant the app the permission qyapi_robot_sendmsg. For streamed replies, also grant Card.Instance.Write and Card.Streaming.Write.',
      'Publish a version of the app, visible to everyone who should be able to reach the robot.',
      'Copy the Client ID and Client Secret from "Credentials and basic information".',
    ],
    fields: [
      { name: 'client_id', label: 'the Client ID (AppKey)', secret: false },
      { name: 'client_secret', label: 'the Client Secret (AppSecret)', secret: true },
    ],
  }),
]

const progressSchema = z.strictObject({
  url: z.string(),
  deviceCode: z.string(),
  pollMs: z.number(),
  /** Milliseconds since the Unix epoch. */
  expiresAtMs: z.number(),
  /** Set once the robot has been created. */
  credentials: z.strictObject({ client_id: z.string(), client_secret: z.string() }).optional(),
})
type Begun = z.infer<typeof progressSchema>

/** Begins a registration, and keeps it for a restart. @throws {SetupFailure} and the reason of `signal`. */
async function newRegistration(world: SetupWorld, signal: AbortSignal): Promise<Begun> {
  const code = await beginRegistration(world.io, { signal, timeoutMs: CALL_MS })
  signal.throwIfAborted()
  if (!code.ok) throw new SetupFailure('unreachable', `DingTalk returned no QR code: ${describeFailure(code.failure)}.`)
  const { url, deviceCode, pollMs, lifeMs } = code.result
  const begun = { url, deviceCode, pollMs, expiresAtMs: world.io.clock.now() + lifeMs }
  await world.keep(begun, begun.expiresAtMs)
  signal.throwIfAborted()
  return begun
}

type Failed = Exclude<Registration, { status: 'success' | 'waiting' }>

/** @throws {SetupFailure} and the reason of `signal`. */
async function waitForConfirmation(
  world: SetupWorld,
  { deviceCode, pollMs, expiresAtMs }: Begun,
  signal: AbortSignal,
): Promise<DingtalkCredentials> {
  const { io } = world
  let doubtedSinceMs: number | null = null
  for (;;) {
    const answer = await pollRegistration(io, deviceCode, { signal, timeoutMs: CALL_MS })
    signal.throwIfAborted()
    const nowMs = io.clock.now()
    const result = answer.ok ? answer.result : null
    if (result?.status === 'success') return { client_id: result.clientId, client_secret: result.clientSecret }
    if (result?.status === 'waiting') {
      if (nowMs >= expiresAtMs) throw new SetupFailure('expired')
      doubtedSinceMs = null
    } else {
      doubtedSinceMs ??= nowMs
      const failure = result === null ? toUnreachableFailure(answer) : toSetupFailure(result)
      if (nowMs - doubtedSinceMs >= PATIENCE_MS) throw failure
    }
    await io.clock.sleep(pollMs, signal)
    signal.throwIfAborted()
  }
}

function toUnreachableFailure(answer: Answer<Registration>): SetupFailure {
  const why = answer.ok ? '' : ` (${describeFailure(answer.failure)})`
  return new SetupFailure('unreachable', `Couldn't check with DingTalk whether the code was scanned${why}. Start over.`)
}

function toSetupFailure(result: Failed): SetupFailure {
  if (result.status !== 'failed') return new SetupFailure('expired')
  const words = result.words === '' ? '' : ` (${result.words})`
  return new SetupFailure('refused', `The robot wasn't created${words}. Start over.`)
}

/** Saves credentials that cannot be scanned a second time: retries temporary failures. @throws {ChannelError} */
async function saveWithRetry(world: SetupWorld, credentials: DingtalkCredentials, signal: AbortSignal): Promise<void> {
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
async function waitForFirstStream(
  world: SetupWorld,
  credentials: DingtalkCredentials,
  shown: Pick<SetupStep, 'url' | 'scannable' | 'expiresAtMs'>,
  signal: AbortSignal,
): Promise<void> {
  const { io } = world
  const client = openClient(credentials, io)
  const untilMs = io.clock.now() + FIRST_STREAM_MS
  let isShown = false
  for (;;) {
    const answer = await client.openStream({ signal, timeoutMs: CALL_MS })
    signal.throwIfAborted()
    if (answer.ok || io.clock.now() >= untilMs) return
    if (!isShown) {
      world.show({
        ...shown,
        state: 'scanned',
        message: 'The robot was created. Waiting for DingTalk to let it connect.',
      })
    }
    isShown = true
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

/** The code to scan, and how to poll for it. */
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

/** Starts a registration by device code. */
async function beginRegistration(io: PlatformIo, limits: CallLimits): Promise<Answer<DeviceCode>> {
  const begun = await callRegistration(io, 'init', { source: SOURCE }, limits)
  if (!begun.ok) return begun
  const answer = await callRegistration(io, 'begin', { nonce: filled(begun.result['nonce']) ?? '' }, limits)
  if (!answer.ok) return answer
  const url = parseDingtalkUrl(answer.result['verification_uri_complete'], 'page', oapiUrl(io))
  const deviceCode = filled(answer.result['device_code'])
  if (url === null || deviceCode === undefined) return toMalformed('DingTalk returned no QR code')
  return {
    ok: true,
    result: {
      url: url.href,
      deviceCode,
      lifeMs: readSecondsAsMs(answer.result['expires_in'], DEFAULT_LIFE_S, DEFAULT_LIFE_S),
      pollMs: readSecondsAsMs(answer.result['interval'], DEFAULT_POLL_S, 60),
    },
  }
}

/** Returns the status of a registration. */
async function pollRegistration(io: PlatformIo, deviceCode: string, limits: CallLimits): Promise<Answer<Registration>> {
  const answer = await callRegistration(io, 'poll', { device_code: deviceCode }, limits)
  if (!answer.ok) return answer
  const words = filled(answer.result['fail_reason'])?.slice(0, 200) ?? ''
  switch (answer.result['status']) {
    case 'WAITING':
      return { ok: true, result: { status: 'waiting' } }
    case 'SUCCESS': {
      const [clientId, clientSecret] = [filled(answer.result['client_id']), filled(answer.result['client_secret'])]
      if (clientId === undefined || clientSecret === undefined)
        return toMalformed('DingTalk confirmed the registration without credentials')
      return { ok: true, result: { status: 'success', clientId, clientSecret } }
    }
    case 'EXPIRED':
      return { ok: true, result: { status: 'expired', words } }
    case 'FAIL':
      return { ok: true, result: { status: 'failed', words } }
    default:
      return toMalformed('DingTalk returned an unknown registration status')
  }
}

const callRegistration = (io: PlatformIo, step: string, json: Json, limits: CallLimits): Promise<Answer<Json>> =>
  callJson(
    io,
    { method: 'POST', url: `${oapiUrl(io)}/app/registration/${step}`, json, kind: 'errcode' },
    limits,
    createRedactor(),
  )

const readSecondsAsMs = (value: unknown, fallback: number, max: number): number =>
  Math.min(Math.max(number(value) ?? fallback, 1), max) * 1_000
