import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import frame from './pane.module.css'
import style from './pane-sheets.module.css'
import { troubleTexts } from './trouble-texts.ts'
import { activeFault, useNormal, useSwitch } from './use-demo.ts'
import { useLive } from './use-live.ts'
import type { DemoPlatform, DemoSwitch } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'

/** What can be made to go wrong on a platform, the network first. */
export function Trouble({
  platform,
  id,
  onClose,
}: {
  readonly platform: DemoPlatform
  readonly id: Platform
  onClose(): void
}): ReactNode {
  const texts = useTexts(troubleTexts)
  const name = useTexts(platformTexts)[id]
  const normal = useNormal()
  const hasFaults = useLive((live) => (live.panes[id]?.faults.length ?? 0) > 0)
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
  const texts = useTexts(troubleTexts)
  const active = useLive((live) => activeFault(live.panes[platform], of))
  const flip = useSwitch(platform)
  const { title, hint } = wordsOf(of, texts.switches)
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

type Words = Readonly<Record<string, { readonly title: string; readonly hint: string } | undefined>>

/** Of a switch that this page does not know yet: the service's own words. */
const wordsOf = ({ id, label, hint }: DemoSwitch, known: Words): { readonly title: string; readonly hint: string } =>
  known[id] ?? { title: label, hint }

/** Says while the drawer is shut that something is broken, and mends it. */
export function TroubleStrip({ platform: { platform } }: { readonly platform: DemoPlatform }): ReactNode {
  const texts = useTexts(troubleTexts)
  const faults = useLive((live) => live.panes[platform]?.faults)
  const normal = useNormal()
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
