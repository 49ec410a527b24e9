import type { Session } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountClient } from '../../api/client.ts'
import { useSignOut } from '../../frame/use-sign-out.ts'
import { defineTexts, pluralize, useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Card } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { notify } from '../../parts/toast.tsx'
import { callAccountApi, setAccountQuery, useAccountQuery } from './account-api.ts'
import style from './account.module.css'
import { LongList } from './panel.tsx'
import { useNotifiedAction } from './reauthentication.tsx'

/** The section of sessions. */
export function Sessions(): ReactNode {
  const texts = useTexts(sessionTexts)
  const sessions = useAccountQuery('sessions')
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? []
  return (
    <Card title={texts.title} actions={others.length > 0 && <EndOthers others={others} />}>
      <p className={style['soft']}>{texts.lead}</p>
      <Loaded query={sessions} lines={5}>
        {(found) => (
          <LongList items={sortSessions(found)} itemKey={({ id }) => String(id)}>
            {(session) => <SessionRow session={session} />}
          </LongList>
        )}
      </Loaded>
    </Card>
  )
}

const lastSeenAt = ({ created_at, last_seen_at = created_at }: Session): number => last_seen_at

/** Sorts the current session first, then the most recently active. */
const sortSessions = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted((a, b) => Number(b.is_current) - Number(a.is_current) || lastSeenAt(b) - lastSeenAt(a))

function useEndSessions(): (ids: readonly number[]) => Promise<void> {
  const client = useQueryClient()
  return async (sessions) => {
    const { data } = await callAccountApi(() => accountClient().endSessions({ sessions }))
    setAccountQuery(client, 'sessions', data)
  }
}

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const signOut = useSignOut()
  const texts = useTexts(sessionTexts)
  const end = useEndSessions()
  const { run, isBusy } = useNotifiedAction(async () => {
    await end([session.id])
    notify(texts.ended)
  })
  const { browser, system } = parseDeviceName(session.user_agent)
  const device = browser && system ? texts.device(browser, system) : (browser ?? system ?? texts.unknown)
  return (
    <>
      <div className={style['what']} title={session.user_agent}>
        <span className={style['name']}>
          {device}
          {session.is_current && <Badge tone="accent">{texts.here}</Badge>}
        </span>
        <span className={style['detail']}>
          {texts.from(session.ip)} · {texts.since} <RelativeTime at={session.created_at * 1_000} />
          {session.last_seen_at !== undefined && (
            <>
              {' '}
              · {texts.seen} <RelativeTime at={session.last_seen_at * 1_000} />
            </>
          )}
        </span>
      </div>
      {session.is_current ? (
        <Button small onClick={signOut}>
          {texts.endHere}
        </Button>
      ) : (
        <Button small kind="danger" aria-label={texts.endLabel(device, session.ip)} busy={isBusy} onClick={() => run()}>
          {texts.end}
        </Button>
      )}
    </>
  )
}

function EndOthers({ others }: { readonly others: readonly Session[] }): ReactNode {
  const texts = useTexts(sessionTexts)
  const end = useEndSessions()
  const { run, isBusy } = useNotifiedAction(async () => {
    await end(others.map(({ id }) => id))
    notify(texts.othersEnded)
  })
  return (
    <ConfirmButton
      small
      act={texts.endOthers}
      title={texts.endOthersTitle}
      lead={texts.endOthersLead(others.length)}
      busy={isBusy}
      onConfirm={() => run()}
    />
  )
}

/** Browser and system named by a user agent; `null` if unknown. */
interface DeviceName {
  readonly browser: string | null
  readonly system: string | null
}

type Signs = readonly (readonly [sign: RegExp, name: string])[]

/** Ordered so that browsers that also name others come first. */
const BROWSERS: Signs = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bMicroMessenger\//, '微信'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(?:node|undici|python|okhttp|Dart)\b/i, 'App'],
]
const SYSTEMS: Signs = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const nameIn = (signs: Signs, userAgent: string): string | null =>
  signs.find(([sign]) => sign.test(userAgent))?.[1] ?? null

/** Parses the browser and system from a `User-Agent` header. */
export const parseDeviceName = (userAgent: string): DeviceName => ({
  browser: nameIn(BROWSERS, userAgent),
  system: nameIn(SYSTEMS, userAgent),
})

/** Texts of the sessions section. */
const sessionTexts = defineTexts({
  en: {
    title: 'Sessions',
    lead: "Devices that are signed in to your account. If you don't recognize one, sign it out and change your password.",
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown device',
    here: 'This device',
    from: (ip: string) => `IP address ${ip}`,
    since: 'signed in',
    seen: 'last active',
    end: 'Sign out',
    endLabel: (device: string, ip: string) => `Sign out ${device} (${ip})`,
    endHere: 'Sign out',
    ended: 'Session signed out.',
    endOthers: 'Sign out all other sessions',
    endOthersTitle: 'Sign out all other sessions?',
    endOthersLead: (count: number) =>
      `This signs out ${pluralize(count, 'other session', 'other sessions')}. You stay signed in here.`,
    othersEnded: 'All other sessions signed out.',
  },
  zh: {
    title: '登录设备',
    lead: '已登录此账号的设备。如发现陌生设备，请将其退出登录并修改密码。',
    device: (browser, system) => `${system} 上的 ${browser}`,
    unknown: '未知设备',
    here: '当前设备',
    from: (ip) => `IP ${ip}`,
    since: '登录于',
    seen: '上次活动',
    end: '退出登录',
    endLabel: (device, ip) => `退出 ${device}（${ip}）`,
    endHere: '退出登录',
    ended: '该设备已退出登录。',
    endOthers: '退出其他所有设备',
    endOthersTitle: '退出其他所有设备？',
    endOthersLead: (count) => `将退出其他 ${count} 台设备，当前设备保持登录。`,
    othersEnded: '其他所有设备已退出登录。',
  },
})
