import { type ReactNode, useState } from 'react'
import style from './channel.module.css'
import { channelTexts } from './texts.ts'
import { useForget } from './use-channel.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/layout.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { Failure } from '../../parts/states.tsx'
import { tell } from '../../parts/toast.tsx'

/** Deletes the credentials of a channel, after it has asked. */
export function Forget({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(channelTexts)
  const name = useTexts(platformTexts)[platform]
  const [asking, setAsking] = useState(false)
  const forget = useForget(platform)
  const act = (): void =>
    // the page of it is gone by then, and this with it
    void forget.mutateAsync().then(
      () => tell(texts.forgotten(name)),
      () => undefined, // shown below
    )
  return (
    <Card title={texts.forgetTitle}>
      <p className="soft">{texts.forgetLead}</p>
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" /> {texts.forget}
        </Button>
      </div>
      <Confirm
        open={asking}
        title={texts.forgetAsk(name)}
        act={texts.forget}
        busy={forget.isPending}
        onConfirm={act}
        onClose={() => setAsking(false)}
      >
        <div className={style['asks']}>
          <p>{texts.forgetGoes}</p>
          <p>{texts.forgetStays}</p>
          <p>{texts.forgetBack}</p>
          {forget.error !== null && <Failure error={forget.error} />}
        </div>
      </Confirm>
    </Card>
  )
}
