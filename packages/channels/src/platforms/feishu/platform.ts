import type { Platform, Validation } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { fetchBot } from './bot.ts'
import { openClient } from './client.ts'
import { connectFeishu } from './connection.ts'
import { describeFeishu, feishuApi, type FeishuCredentials, feishuCredentials, feishuIdentity } from './credentials.ts'
import { diagnoseFeishu } from './diagnose.ts'
import { feishuDialect } from './dialect.ts'
import { feishuLimits } from './limits.ts'
import { isRejection, describeFailure } from './outcome.ts'
import { feishuSetups } from './setup.ts'
import { findCustomServer } from '../wire/urls.ts'

const VALIDATE_MS = 10_000

/** @see Feishu Open Platform, https://open.feishu.cn/document; Lark is the same at another host */
export const feishu = {
  id: 'feishu',
  label: 'Feishu',
  limits: feishuLimits,
  dialect: feishuDialect,
  credentials: feishuCredentials,
  answersSomeOnly: true,
  identity: feishuIdentity,
  customServer: ({ domain }, io) =>
    findCustomServer(domain, { configured: feishuApi(io), domains: ['feishu.cn', 'larksuite.com'] }),
  describe: describeFeishu,
  validate,
  setups: feishuSetups,
  connect: connectFeishu,
  diagnose: diagnoseFeishu,
} satisfies Platform<FeishuCredentials>

async function validate(credentials: FeishuCredentials, io: PlatformIo, signal: AbortSignal): Promise<Validation> {
  const client = openClient(credentials, io)
  const failure = await client.checkToken(signal)
  if (failure !== null) {
    const words = describeFailure(failure)
    return isRejection(failure)
      ? { ok: false, reason: 'rejected', message: `Feishu rejected the App ID or App Secret: ${words}` }
      : { ok: false, reason: 'unreachable', message: `Couldn't reach Feishu: ${words}.` }
  }
  // only for its name: an app without a bot can get one later
  const answer = await fetchBot(client, { signal, timeoutMs: VALIDATE_MS })
  const name = 'bot' in answer ? answer.bot.name : ''
  return { ok: true, identity: feishuIdentity(credentials), name: name === '' ? credentials.app_id : name }
}
