import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { splitRemedy, describeCheck } from './check-texts.ts'
import { countStatuses, toVerdict, withChecks } from './report.ts'
import type { Check, DoctorReport } from '../../api/gateway-api.ts'

const fine: Check = {
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'pass',
  detail: '@bot (1)',
  finding: 'bot_accepted',
  values: { name: '@bot', id: '1' },
}
const disabled: Check = {
  id: 'channel_running',
  title: 'Channel is running',
  status: 'fail',
  detail: 'Disabled.',
  finding: 'channel_disabled',
  values: {},
  remedy: 'Run: npx gatepost enable telegram',
}

it('describes a known check in both languages, and keeps its details', () => {
  const english = describeCheck(disabled, 'en')
  expect(english).toMatchObject({ title: 'Channel is running', result: 'Disabled.', evidence: null })
  expect(english.remedy).not.toContain('npx')
  expect(describeCheck(disabled, 'zh')).toMatchObject({
    title: '渠道运行状态',
    evidence: '渠道已停用。',
    remedy: expect.stringContaining('启用') as unknown,
  })
  expect(describeCheck(fine, 'zh')).toEqual({
    title: 'Bot Token',
    result: 'Token 有效。',
    evidence: '@bot（1）',
    remedy: null,
  })
})

it('has a Chinese text for every check of channels', async () => {
  const listed = join(import.meta.dirname, '../../../../channels/src/doctor/check-ids.ts')
  const ids = [...(await readFile(listed, 'utf8')).matchAll(/^ {2}'(\w+)',$/gm)].map(([, id]) => id ?? '')
  expect(ids.length).toBeGreaterThan(30)
  expect(ids.filter((id) => describeCheck({ ...disabled, id }, 'zh').title === disabled.title)).toEqual([])
})

it('has a Chinese text for every finding of channels', async () => {
  const listed = join(import.meta.dirname, '../../../../channels/src/doctor/findings.ts')
  const codes = [...(await readFile(listed, 'utf8')).matchAll(/^ {2}(\w+): \(/gm)].map(([, code]) => code ?? '')
  expect(codes.length).toBeGreaterThan(80)
  const english = 'an English text'
  const texts = codes.map((finding) => describeCheck({ ...disabled, finding, detail: english }, 'zh').evidence)
  expect(codes.filter((_, index) => texts[index] === english)).toEqual([])
})

it('quotes the platform, and explains a failed call in Chinese', () => {
  const values = {
    url: 'https://x.example',
    words: 'Unauthorized',
    cause: null,
    seconds: null,
    error: null,
    status: null,
  }
  const describe = (more: Check['values']): string | null =>
    describeCheck({ ...disabled, finding: 'server_unreachable', values: { ...values, ...more } }, 'zh').evidence
  expect(describe({})).toBe('https://x.example：平台返回：Unauthorized')
  expect(describe({ cause: 'timed_out', seconds: 10 })).toBe('https://x.example：10 秒内无响应')
  expect(describe({ cause: 'connection_failed', error: 'ECONNREFUSED' })).toContain('连接失败（ECONNREFUSED）')
})

it("keeps the service's words for an unknown check", () => {
  const unknown = { ...disabled, id: 'of_tomorrow', remedy: 'Do it.' }
  const said = { title: 'Channel is running', result: 'Disabled.', evidence: null, remedy: 'Do it.' }
  expect([describeCheck(unknown, 'en'), describeCheck(unknown, 'zh')]).toEqual([said, said])
})

it('keeps the link of a remedy in Chinese', () => {
  const page = 'https://discord.example/applications/1/bot'
  const check: Check = { ...disabled, id: 'message_content', remedy: `Switch it on: ${page}.` }
  const remedy = describeCheck(check, 'zh').remedy ?? ''
  expect(splitRemedy(remedy).filter(({ isUrl }) => isUrl)).toEqual([{ text: page, isUrl: true }])
  expect(splitRemedy(`At ${page}. Then wait.`).map(({ text }) => text)).toEqual(['At ', page, '. Then wait.'])
  expect(splitRemedy('Wait.')).toEqual([{ text: 'Wait.', isUrl: false }])
})

it('replaces the checks of one platform in the report and its verdict', () => {
  const report: DoctorReport = {
    ok: false,
    sections: [
      { platform: null, title: 'Service', checks: [fine] },
      { platform: 'telegram', title: 'Telegram', checks: [fine, disabled] },
    ],
  }
  const of = (one: DoctorReport): string => toVerdict(countStatuses(one.sections.flatMap(({ checks }) => checks)))
  const fixed = withChecks(report, 'telegram', [fine, { ...disabled, status: 'warn' }])
  expect([report.ok, of(report), fixed.ok, of(fixed)]).toEqual([false, 'fail', true, 'warn'])
  expect(withChecks(report, 'discord', [])).toEqual(report)
})
