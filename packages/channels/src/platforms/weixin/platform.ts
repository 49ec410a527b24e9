import type { Platform, Validation } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { connectWeixin } from './connection.ts'
import {
  describeWeixin,
  weixinApiUrl,
  type WeixinCredentials,
  weixinCredentials,
  weixinIdentity,
} from './credentials.ts'
import { diagnoseWeixin, probe } from './diagnose.ts'
import { weixinDialect } from './dialect.ts'
import { weixinLimits } from './limits.ts'
import { NOT_VALID, describeFailure } from './outcome.ts'
import { weixinSetups } from './setup.ts'
import { findCustomServer } from '../wire/urls.ts'

/** Weixin's personal accounts through iLink: direct chats only. No documentation is public. */
export const weixin = {
  id: 'weixin',
  label: 'Weixin',
  limits: weixinLimits,
  dialect: weixinDialect,
  credentials: weixinCredentials,
  answersSomeOnly: true,
  identity: weixinIdentity,
  customServer: ({ base_url }, io) =>
    findCustomServer(base_url, { configured: weixinApiUrl(io), domains: ['weixin.qq.com'] }),
  describe: describeWeixin,
  validate,
  provedByConnecting: true,
  setups: weixinSetups,
  connect: connectWeixin,
  diagnose: diagnoseWeixin,
} satisfies Platform<WeixinCredentials>

/** A hint only: what a sign-in is worth, the first poll tells. */
async function validate(credentials: WeixinCredentials, io: PlatformIo, signal: AbortSignal): Promise<Validation> {
  const asked = await probe(credentials, io, signal)
  const identity = weixinIdentity(credentials)
  if (asked.is === 'accepted') return { ok: true, identity, name: credentials.ilink_bot_id ?? identity }
  const words = describeFailure(asked.failure)
  const message = asked.is === 'rejected' ? `${NOT_VALID} (${words})` : `Couldn't reach Weixin: ${words}.`
  return { ok: false, reason: asked.is, message }
}
