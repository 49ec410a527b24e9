import { describePlatform } from '../../platform.contract.ts'
import { weixinHarness } from './weixin.contract.ts'

describePlatform('weixin', weixinHarness)
