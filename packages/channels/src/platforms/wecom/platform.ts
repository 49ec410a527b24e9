import type { Platform, Validation } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openSession, wecomUrl } from './client.ts'
import { connectWecom } from './connection.ts'
import { describeWecom, wecomCredentials, type WecomCredentials, wecomIdentity } from './credentials.ts'
import { diagnoseWecom } from './diagnose.ts'
import { wecomDialect } from './dialect.ts'
import { wecomLimits } from './limits.ts'
import { toConnectionError, isRejection } from './outcome.ts'
import { wecomSetups } from './setup.ts'

/** @see WeCom developer documentation, "smart bot", "long connection" */
export const wecom = {
  id: 'wecom',
  label: 'WeCom',
  limits: wecomLimits,
  dialect: wecomDialect,
  credentials: wecomCredentials,
  identity: wecomIdentity,
  describe: describeWecom,
  validate,
  provedByConnecting: true,
  setups: wecomSetups,
  connect: connectWecom,
  diagnose: diagnoseWecom,
} satisfies Platform<WecomCredentials>

/** Validates by subscribing, which replaces a live connection of the bot: only used when there is none. */
async function validate(credentials: WecomCredentials, io: PlatformIo, signal: AbortSignal): Promise<Validation> {
  const onFrame = (): void => io.log.warn('Lost a message that arrived while validating the WeCom credentials')
  const opened = await openSession({ credentials, url: wecomUrl(io), io, onFrame }, signal)
  if ('session' in opened) {
    opened.session.close()
    return { ok: true, identity: wecomIdentity(credentials), name: credentials.bot_id }
  }
  const { end } = opened
  const reason = end.why === 'refused' && isRejection(end.errcode) ? 'rejected' : 'unreachable'
  return { ok: false, reason, message: `${toConnectionError(end).message}` }
}
