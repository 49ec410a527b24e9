import { useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { SetupFlow } from './setup/setup-flow.tsx'
import { setupTexts } from './setup/texts.ts'
import { useCall } from '../../api/queries.ts'
import { NotFound } from '../../frame/lost.tsx'
import { useTexts } from '../../language/texts.ts'
import { Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform, type Platform, platformTexts } from '../../parts/platform.tsx'

/** The guided set-up of one platform. `?kind=invite`: a certain way of it. */
export function Page(): ReactNode {
  const { platform = '' } = useParams({ strict: false })
  return isPlatform(platform) ? <SetupOf key={platform} platform={platform} /> : <NotFound />
}

function SetupOf({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(setupTexts)
  const name = useTexts(platformTexts)[platform]
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const channels = useCall('listChannels', {})
  const isConnected = channels.data?.channels.some((one) => one.platform === platform && one.has_config)
  /** Before anything was set up here. */
  const [wasConnected, setWasConnected] = useState(isConnected)
  if (wasConnected === undefined && isConnected !== undefined) setWasConnected(isConnected)
  const kind = typeof search['kind'] === 'string' ? search['kind'] : null
  return (
    <Sheet
      title={texts.title(name)}
      back={{ to: '/channels', label: texts.back }}
      {...(wasConnected === true && kind !== 'invite' && { lead: texts.leadAgain })}
    >
      <SetupFlow platform={platform} wanted={kind} />
    </Sheet>
  )
}
