import type { Platform, Validation } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openClient } from './client.ts'
import { connectDingtalk } from './connection.ts'
import { describeDingtalk, type DingtalkCredentials, dingtalkCredentials, dingtalkIdentity } from './credentials.ts'
import { diagnoseDingtalk } from './diagnose.ts'
import { dingtalkDialect } from './dialect.ts'
import { dingtalkLimits } from './limits.ts'
import { toConnectionError, type DingtalkFailure, isRejection, describeFailure } from './outcome.ts'
import { dingtalkSetups } from './setup.ts'

const VALIDATE_MS = 10_000

/** @see DingTalk Open Platform, https://open.dingtalk.com: robots in stream mode */
export const dingtalk = {
  id: 'dingtalk',
  label: 'DingTalk',
  limits: dingtalkLimits,
  dialect: dingtalkDialect,
  credentials: dingtalkCredentials,
  identity: dingtalkIdentity,
  describe: describeDingtalk,
  validate,
  setups: dingtalkSetups,
  connect: connectDingtalk,
  diagnose: diagnoseDingtalk,
} satisfies Platform<DingtalkCredentials>

/**
 * An app that may not connect yet is accepted: its credentials are right, the channel says what is missing and comes to
 * life as soon as it is mended.
 */
async function validate(credentials: DingtalkCredentials, io: PlatformIo, signal: AbortSignal): Promise<Validation> {
  const client = openClient(credentials, io)
  const limits = { signal, timeoutMs: VALIDATE_MS }
  const probed = await client.probe(limits)
  if (!probed.ok) return refusal(probed.failure)
  const stream = await client.openStream(limits)
  if (!stream.ok) {
    const error = toConnectionError(stream.failure)
    if (error.code === 'credentials_rejected') return { ok: false, reason: 'rejected', message: error.message }
    io.log.info('DingTalk accepts the credentials, but no stream connection yet', { why: error.message })
  }
  // DingTalk does not tell what the robot is called
  return { ok: true, identity: dingtalkIdentity(credentials), name: credentials.client_id }
}

function refusal(failure: DingtalkFailure): Validation {
  const words = describeFailure(failure)
  return isRejection(failure)
    ? { ok: false, reason: 'rejected', message: words }
    : { ok: false, reason: 'unreachable', message: `Couldn't reach DingTalk: ${words}.` }
}
