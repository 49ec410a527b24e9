import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import type { DemoPlatform, DemoSwitch } from '../../api/gateway-api.ts'
import { defineTexts, useLanguage, useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import style from './pane-sheets.module.css'
import frame from './phone.module.css'
import { findActiveFault, useClearFaults, useToggleFault, useLiveDemo } from './live-demo.ts'

/** The panel of faults to inject on a platform. */
export function FaultPanel({
  platform,
  id,
  onClose,
}: {
  readonly platform: DemoPlatform
  readonly id: Platform
  onClose(): void
}): ReactNode {
  const texts = useTexts(faultPanelTexts)
  const name = useTexts(platformTexts)[id]
  const { language } = useLanguage()
  const normal = useClearFaults()
  const hasFaults = useLiveDemo((live) => (live.panes[id]?.faults.length ?? 0) > 0)
  const panel = useRef<HTMLElement>(null)
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  })
  useEffect(() => {
    const { current } = panel
    const press = (event: KeyboardEvent): void => pressed(event)
    current?.focus()
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  }, [])
  return (
    <section ref={panel} className={style['drawer']} aria-label={texts.troubleOn(name)} tabIndex={-1}>
      <p className={style['drawerLead']}>{texts.lead}</p>
      <ul className={style['switches']}>
        {platform.switches.map((of) => (
          <li key={of.id}>
            <FaultSwitch platform={id} of={of} />
          </li>
        ))}
      </ul>
      <div className={style['drawerFoot']}>
        <Button kind={hasFaults ? 'primary' : 'secondary'} busy={normal.isPending} onClick={() => normal.mutate([id])}>
          {texts.normal}
        </Button>
        <a href={`${platform.page}?lang=${language}`} target="_blank" rel="noopener noreferrer">
          {texts.more} <Icon name="external" size={14} />
        </a>
      </div>
    </section>
  )
}

function FaultSwitch({ platform, of }: { readonly platform: string; readonly of: DemoSwitch }): ReactNode {
  const texts = useTexts(faultPanelTexts)
  const active = useLiveDemo((live) => findActiveFault(live.panes[platform], of))
  const flip = useToggleFault(platform)
  const { title, hint } = faultTexts(of, texts.switches)
  return (
    <button
      type="button"
      className={style['switch']}
      data-first={of.id === 'cut'}
      aria-pressed={active !== null}
      onClick={() => flip.mutate({ of, active })}
    >
      <span className={style['switchWords']}>
        <strong>{title}</strong>
        <span>{hint}</span>
      </span>
      {of.lasting ? (
        <span className={style['toggle']} aria-hidden="true" />
      ) : (
        <span className={style['once']}>{texts.once}</span>
      )}
    </button>
  )
}

type KnownFaultTexts = Readonly<Record<string, { readonly title: string; readonly hint: string } | undefined>>

/** Returns the texts of a fault; unknown ones keep the service's own. */
const faultTexts = (
  { id, label, hint }: DemoSwitch,
  known: KnownFaultTexts,
): { readonly title: string; readonly hint: string } => known[id] ?? { title: label, hint }

/** Shows active faults while the panel is closed, with a button to clear them. */
export function FaultStrip({ platform: { platform } }: { readonly platform: DemoPlatform }): ReactNode {
  const texts = useTexts(faultPanelTexts)
  const faults = useLiveDemo((live) => live.panes[platform]?.faults)
  const normal = useClearFaults()
  if (faults === undefined || faults.length === 0) return null
  const isCut = faults.some((fault) => fault.switch === 'cut')
  return (
    <div className={frame['strip']} role="status">
      <Icon name="cable" size={16} />
      <span>{isCut ? texts.cutNow : texts.someNow(faults.length)}</span>
      <button type="button" onClick={() => normal.mutate([platform])}>
        {texts.putBack}
      </button>
    </div>
  )
}

/** Texts of the faults, by code. */
export const faultPanelTexts = defineTexts({
  en: {
    trouble: 'Faults',
    troubleOn: (platform: string) => `Faults on ${platform}`,
    close: 'Close',
    lead: 'Inject a fault and see how Gatepost handles it.',
    normal: 'Clear all faults',
    more: 'More faults',
    cutNow: 'Network down',
    someNow: (count: number) => (count === 1 ? '1 fault active' : `${count} faults active`),
    putBack: 'Restore',
    once: 'once',
    switches: {
      cut: { title: 'Cut the network', hint: 'Nothing gets through until you restore it.' },
      bad_gateway: { title: 'Platform outage', hint: 'Every call returns an error page (502).' },
      slow_down: { title: 'Rate limit', hint: 'The next message is rejected for a few seconds.' },
      send_lost: { title: 'Lose the next message', hint: 'The connection breaks before the message arrives.' },
      answer_lost: { title: 'Lose the confirmation', hint: "The message arrives, but its confirmation doesn't." },
      taken_over: { title: 'Connection takeover', hint: 'Another program connects with the same bot.' },
      reconnect: { title: 'Request a reconnect', hint: 'The platform asks for a new connection.' },
      session_lost: { title: 'Drop the session', hint: 'The platform no longer recognizes the connection.' },
      log_in_expired: { title: 'Expire the login', hint: 'The bot has to be connected again.' },
      token_expired: { title: 'Expire the token', hint: 'Calls are rejected until the token is renewed.' },
      half_open: {
        title: 'Half-open connection',
        hint: 'Looks connected, but nothing gets through. Gatepost notices within a few minutes.',
      },
      twice: { title: 'Duplicate delivery', hint: 'The next message is delivered twice.' },
      no_streaming: { title: 'Disable streaming', hint: 'Replies arrive in one piece.' },
    },
  },
  zh: {
    trouble: '故障',
    troubleOn: (platform) => `${platform}的故障`,
    close: '关闭',
    lead: '制造一个故障，看看 Gatepost 如何应对。',
    normal: '清除所有故障',
    more: '更多故障',
    cutNow: '网络已断开',
    someNow: (count) => `已开启 ${count} 个故障`,
    putBack: '恢复',
    once: '一次',
    switches: {
      cut: { title: '断开网络', hint: '恢复之前，所有数据都无法传输。' },
      bad_gateway: { title: '平台故障', hint: '所有调用都返回错误页面（502）。' },
      slow_down: { title: '触发限流', hint: '下一条消息在几秒内会被拒绝。' },
      send_lost: { title: '丢失下一条消息', hint: '消息送达前连接断开。' },
      answer_lost: { title: '丢失确认', hint: '消息已送达，但 Gatepost 收不到确认。' },
      taken_over: { title: '连接被占用', hint: '另一个程序使用同一机器人连接。' },
      reconnect: { title: '要求重连', hint: '平台要求重新建立连接。' },
      session_lost: { title: '会话失效', hint: '平台不再识别此连接。' },
      log_in_expired: { title: '登录过期', hint: '机器人需要重新连接。' },
      token_expired: { title: 'Token 过期', hint: '更新 Token 之前，调用会被拒绝。' },
      half_open: { title: '半开连接', hint: '看似已连接，实际无法传输数据。Gatepost 会在几分钟内发现。' },
      twice: { title: '重复推送', hint: '下一条消息会推送两次。' },
      no_streaming: { title: '关闭流式回复', hint: '回复会一次性显示。' },
    },
  },
})
