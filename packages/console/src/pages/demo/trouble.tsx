import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import frame from './pane.module.css'
import style from './pane-sheets.module.css'
import { faultPanelTexts } from './trouble-texts.ts'
import { findActiveFault, useClearFaults, useToggleFault } from './use-demo.ts'
import { useLiveDemo } from './use-live.ts'
import type { DemoPlatform, DemoSwitch } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'

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
        <a href={platform.page} target="_blank" rel="noopener noreferrer">
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
