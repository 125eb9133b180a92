; Made by scripts/gpu_math.py of the crate libm 0.2.16 (MIT; py/licenses) and our inverse error functions.
@w.lib.13 = internal constant [32 x i8] c"\03\00\00\00\00\00\00\00\04\00\00\00\00\00\00\00\04\00\00\00\00\00\00\00\06\00\00\00\00\00\00\00", align 8
@w.lib.14 = internal constant [2760 x i8] c"\83\F9\A2\00DNn\00\FC)\15\00\D1W'\00\DD4\F5\00b\DB\C0\00<\99\95\00A\90C\00cQ\FE\00\BB\DE\AB\00\B7a\C5\00:n$\00\D2MB\00I\06\E0\00\09\EA.\00\1C\92\D1\00\EB\1D\FE\00)\B1\1C\00\E8>\A7\00\F55\82\00D\BB.\00\9C\E9\84\00\B4&p\00A~_\00\D6\919\00S\839\00\9C\F49\00\8B_\84\00(\F9\BD\00\F8\1F;\00\DE\FF\97\00\0F\98\05\00\11/\EF\00\0AZ\8B\00m\1Fm\00\CF~6\00\09\CB'\00FO\B7\00\9Ef?\00-\EA_\00\BA'u\00\E5\EB\C7\00={\F1\00\F79\07\00\92R\8A\00\FBk\EA\00\1F\B1_\00\08]\8D\000\03V\00{\FCF\00\F0\ABk\00 \BC\CF\006\F4\9A\00\E3\A9\1D\00^a\91\00\08\1B\E6\00\85\99e\00\A0\14_\00\8D\40h\00\80\D8\FF\00'sM\00\06\061\00\CAV\15\00\C9\A8s\00{\E2`\00k\8C\C0\00\19\C4G\00\CDg\C3\00\09\E8\DC\00Y\83*\00\8Bv\C4\00\A6\1C\96\00D\AF\DD\00\19W\D1\00\A5>\05\00\05\07\FF\003~?\00\C22\E8\00\98O\DE\00\BB}2\00&=\C3\00\1Ek\EF\00\9F\F8^\005\1F:\00\7F\F2\CA\00\F1\87\1D\00|\90!\00j$|\00\D5n\FA\000-w\00\15;C\00\B5\14\C6\00\C3\19\9D\00\AD\C4\C2\00,MA\00\0C\00]\00\86}F\00\E3q-\00\9B\C6\9A\003b\00\00\B4\D2|\00\B4\A7\97\007U\D5\00\D7>\F6\00\A3\10\18\00Mv\FC\00d\9D*\00p\D7\AB\00c|\F8\00z\B0W\00\17\15\E7\00\C0IV\00;\D6\D9\00\A7\848\00$#\CB\00\D6\8Aw\00ZT#\00\00\1F\B9\00\F1\0A\1B\00\19\CE\DF\00\9F1\FF\00f\1Ej\00\99Wa\00\AC\FBG\00~\7F\D8\00\22e\B7\002\E8\89\00\E6\BF`\00\EF\C4\CD\00l6\09\00]?\D4\00\16\DE\D7\00X;\DE\00\DE\9B\92\00\D2\22(\00(\86\E8\00\E2XM\00\C6\CA2\00\08\E3\16\00\E0}\CB\00\17\C0P\00\F3\1D\A7\00\18\E0[\00.\134\00\83\12b\00\83H\01\00\F5\8E[\00\AD\B0\7F\00\1E\E9\F2\00HJC\00\10g\D3\00\AA\DD\D8\00\AE_B\00ja\CE\00\0A(\A4\00\D3\99\B4\00\06\A6\F2\00\\w\7F\00\A3\C2\83\00a<\88\00\8Asx\00\AF\8CZ\00o\D7\BD\00-\A6c\00\F4\BF\CB\00\8D\81\EF\00&\C1g\00U\CAE\00\CA\D96\00(\A8\D2\00\C2a\8D\00\12\C9w\00\04&\14\00\12F\9B\00\C4Y\C4\00\C8\C5D\00M\B2\91\00\00\17\F3\00\D4C\AD\00)I\E5\00\FD\D5\10\00\00\BE\FC\00\1E\94\CC\00p\CE\EE\00\13>\F5\00\EC\F1\80\00\B3\E7\C3\00\C7\F8(\00\93\05\94\00\C1q>\00.\09\B3\00\0BE\F3\00\88\12\9C\00\AB {\00.\B5\9F\00G\92\C2\00{2/\00\0CUm\00r\A7\90\00k\E7\1F\001\CB\96\00y\16J\00Ay\E2\00\F4\DF\89\00\E8\94\97\00\E2\E6\84\00\991\97\00\88\EDk\00__6\00\BB\FD\0E\00H\9A\B4\00g\A4l\00qrB\00\8D]2\00\9F\15\B8\00\BC\E5\09\00\8D1%\00\F7t9\000\05\1C\00\0D\0C\01\00K\08h\00,\EEX\00G\AA\90\00t\E7\02\00\BD\D6$\00\F7}\A6\00nHr\00\9F\16\EF\00\8E\94\A6\00\B4\91\F6\00\D1SQ\00\CF\0A\F2\00 \983\00\F5K~\00\B2ch\00\DD>_\00\40]\03\00\85\89\7F\00UR)\007d\C0\00m\D8\10\002H2\00[Lu\00Nq\D4\00ETn\00\0B\09\C1\00*\F5i\00\14f\D5\00'\07\9D\00]\04P\00\B4;\DB\00\EAv\C5\00\87\F9\17\00Ik}\00\1D'\BA\00\96i)\00\C6\CC\AC\00\AD\14T\00\90\E2j\00\88\D9\89\00,rP\00\04\A4\BE\00w\07\94\00\F30p\00\00\FC'\00\EAq\A8\00f\C2I\00d\E0=\00\97\DD\83\00\A3?\97\00C\94\FD\00\0D\86\8C\001A\DE\00\929\9D\00\DDp\8C\00\17\B7\E7\00\08\DF;\00\157+\00\\\80\A0\00Z\80\93\00\10\11\92\00\0F\E8\D8\00l\80\AF\00\DB\FFK\008\90\0F\00Y\18v\00b\A5\15\00a\CB\BB\00\C7\89\B9\00\10\40\BD\00\D2\F2\04\00Iu'\00\EB\B6\F6\00\DB\22\BB\00\0A\14\AA\00\89&/\00d\83v\00\09;3\00\0E\94\1A\00Q:\AA\00\1D\A3\C2\00\AF\ED\AE\00\\&\12\00m\C2M\00-z\9C\00\C0V\97\00\03?\83\00\09\F0\F6\00+\40\8C\00m1\99\009\B4\07\00\0C \15\00\D8\C3[\00\F5\92\C4\00\C6\ADK\00N\CA\A5\00\A77\CD\00\E6\A96\00\AB\92\94\00\DDBh\00\19c\DE\00v\8C\EF\00h\8BR\00\FC\DB7\00\AE\A1\AB\00\DF\151\00\00\AE\A1\00\0C\FB\DA\00dMf\00\ED\05\B7\00)e0\00WV\BF\00G\FF:\00j\F9\B9\00u\BE\F3\00(\93\DF\00\AB\800\00f\8C\F6\00\04\CB\15\00\FA\22\06\00\D9\E4\1D\00=\B3\A4\00W\1B\8F\006\CD\09\00NB\E9\00\13\BE\A4\003#\B5\00\F0\AA\1A\00Oe\A8\00\D2\C1\A5\00\0B?\0F\00[x\CD\00#\F9v\00{\8B\04\00\89\17r\00\C6\A6S\00on\E2\00\EF\EB\00\00\9BJX\00\C4\DA\B7\00\AAf\BA\00v\CF\CF\00\D1\02\1D\00\B1\F1-\00\8C\99\C1\00\C3\ADw\00\86H\DA\00\F7]\A0\00\C6\80\F4\00\AC\F0/\00\DD\EC\9A\00?\\\BC\00\D0\DEm\00\90\C7\1F\00*\DB\B6\00\A3%:\00\00\AF\9A\00\ADS\93\00\B6W\04\00)-\B4\00K\80~\00\DA\07\A7\00v\AA\0E\00{Y\A1\00\16\12*\00\DC\B7-\00\FA\E5\FD\00\89\DB\FE\00\89\BE\FD\00\E4vl\00\06\A9\FC\00>\80p\00\85n\15\00\FD\87\FF\00(>\07\00ag3\00*\18\86\00M\BD\EA\00\B3\E7\AF\00\8Fmn\00\95g9\001\BF[\00\84\D7H\000\DF\16\00\C7-C\00%a5\00\C9p\CE\000\CB\B8\00\BFl\FD\00\A4\00\A2\00\05l\E4\00Z\DD\A0\00!oG\00b\12\D2\00\B9\\\84\00paI\00kV\E0\00\99R\01\00PU7\00\1E\D5\B7\003\F1\C4\00\13n_\00]0\E4\00\85.\A9\00\1D\B2\C3\00\A126\00\08\B7\A4\00\EA\B1\D4\00\16\F7!\00\8Fi\E4\00'\FFw\00\0C\03\80\00\8D\40-\00O\CD\A0\00 \A5\99\00\B3\A2\D3\00/]\0A\00\B4\F9B\00\11\DA\CB\00}\BE\D0\00\9B\DB\C1\00\AB\17\BD\00\CA\A2\81\00\08j\\\00.U\17\00'\00U\00\7F\14\F0\00\E1\07\86\00\14\0Bd\00\96A\8D\00\87\BE\DE\00\DA\FD*\00k%\B6\00{\894\00\05\F3\FE\00\B9\BF\9E\00hjO\00J*\A8\00O\C4Z\00-\F8\BC\00\D7Z\98\00\F4\C7\95\00\0DM\8D\00 :\A6\00\A4W_\00\14?\B1\00\808\95\00\CC \01\00q\DD\86\00\C9\DE\B6\00\BF`\F5\00Me\11\00\01\07k\00\8C\B0\AC\00\B2\C0\D0\00QUH\00\1E\FB\0E\00\95r\C3\00\A3\06;\00\C0\405\00\06\DC{\00\E0E\CC\00N)\FA\00\D6\CA\C8\00\E8\F3A\00|d\DE\00\9Bd\D8\00\D9\BE1\00\A4\97\C3\00wX\D4\00i\E3\C5\00\F0\DA\13\00\BA:<\00F\18F\00Uu_\00\D2\BD\F5\00n\92\C6\00\AC.]\00\0ED\ED\00\1C>B\00a\C4\87\00)\FD\E9\00\E7\D6\F3\00\22|\CA\00o\915\00\08\E0\C5\00\FF\D7\8D\00nj\E2\00\B0\FD\C6\00\93\08\C1\00|]t\00k\AD\B2\00\CDn\9D\00>r{\00\C6\11j\00\F7\CF\A9\00)s\DF\00\B5\C9\BA\00\B7\00Q\00\E2\B2\0D\00t\BA$\00\E5}`\00t\D8\8A\00\0D\15,\00\81\18\0C\00~f\94\00\01)\16\00\9Fzv\00\FD\FD\BE\00VE\EF\00\D9~6\00\EC\D9\13\00\8B\BA\B9\00\C4\97\FC\001\A8'\00\F1n\C3\00\94\C56\00\D8\A8V\00\B4\A8\B5\00\CF\CC\0E\00\12\89-\00oW4\00,V\89\00\99\CE\E3\00\D6 \B9\00k^\AA\00>*\9C\00\11_\CC\00\FD\0BJ\00\E1\F4\FB\00\8E;m\00\E2\86,\00\E9\D4\84\00\FC\B4\A9\00\EF\EE\D1\00.5\C9\00/9a\008!D\00\1B\D9\C8\00\81\FC\0A\00\FBJj\00/\1C\D8\00S\B4\84\00N\99\8C\00T\22\CC\00*U\DC\00\C0\C6\D6\00\0B\19\96\00\1Ap\B8\00i\95d\00&Z`\00?R\EE\00\7F\11\0F\00\F4\B5\11\00\FC\CB\F5\004\BC-\004\BC\EE\00\E8]\CC\00\DD^`\00g\8E\9B\00\923\EF\00\C9\17\B8\00aX\9B\00\E1W\BC\00Q\83\C6\00\D8>\10\00\DDqH\00-\1C\DD\00\AF\18\A1\00!,F\00Y\F3\D7\00\D9z\98\00\9ET\C0\00O\86\FA\00V\06\FC\00\E5y\AE\00\89\226\008\AD\22\00g\93\DC\00U\E8\AA\00\82&8\00\CA\E7\9B\00Q\0D\A4\00\993\B1\00\A9\D7\0E\00i\05H\00e\B2\F0\00\7F\88\A7\00\88L\97\00\F9\D16\00!\92\B3\00{\82J\00\98\CF!\00\40\9F\DC\00\DCGU\00\E1t:\00g\EBB\00\FE\9D\DF\00^\D4_\00{g\A4\00\BA\ACz\00U\F6\A2\00+\88#\00A\BAU\00Yn\08\00!*\86\009G\83\00\89\E3\E6\00\E5\9E\D4\00I\FB\40\00\FFV\E9\00\1C\0F\CA\00\C5Y\8A\00\94\FA+\00\D3\C1\C5\00\0F\C5\CF\00\DBZ\AE\00G\C5\86\00\85Cb\00!\86;\00,y\94\00\10a\87\00*L{\00\80,\1A\00C\BF\12\00\88&\90\00x<\89\00\A8\C4\E4\00\E5\DB{\00\C4:\C2\00&\F4\EA\00\F7g\8A\00\0D\92\BF\00e\A3+\00=\93\B1\00\BD|\0B\00\A4Q\DC\00'\DDc\00i\E1\DD\00\9A\94\19\00\A8)\95\00h\CE(\00\09\ED\B4\00D\9F \00N\98\CA\00p\82c\00~|#\00\0F\B92\00\A7\F5\8E\00\14V\E7\00!\F1\08\00\B5\9D*\00o~M\00\A5\19Q\00\B5\F9\AB\00\82\DF\D6\00\96\DDa\00\166\02\00\C4:\9F\00\83\A2\A1\00r\EDm\009\8Dz\00\82\B8\A9\00k2\\\00F'[\00\004\ED\00\D2\00w\00\FC\F4U\00\01YM\00\E0q\80\00", align 4
@w.lib.15 = internal constant [64 x i8] c"\00\00\00\40\FB!\F9?\00\00\00\00-Dt>\00\00\00\80\98F\F8<\00\00\00`Q\CCx;\00\00\00\80\83\1B\F09\00\00\00\40 %z8\00\00\00\80\22\82\E36\00\00\00\00\1D\F3i5", align 8
@w.lib.48 = internal constant [16 x i8] c"\00\00\00\00\00\00\E0?\00\00\00\00\00\00\E0\BF", align 8
@w.lib.81 = internal constant [16 x i8] c"\00\00\00\00\00\00\F0?\00\00\00\00\00\00\F8?", align 8
@w.lib.82 = internal constant [16 x i8] c"\00\00\00\00\00\00\00\00\06\D0\CFC\EB\FDL>", align 8
@w.lib.83 = internal constant [16 x i8] c"\00\00\00\00\00\00\00\00\00\00\00\40\03\B8\E2?", align 8
@w.lib.84 = internal constant [32 x i8] c"O\BBa\05g\AC\DD?\18-DT\FB!\E9?\9B\F6\81\D2\0Bs\EF?\18-DT\FB!\F9?", align 8
@w.lib.85 = internal constant [32 x i8] c"\E2e/\22\7F+z<\07\\\143&\A6\81<\BD\CB\F0z\88\07p<\07\\\143&\A6\91<", align 8
@w.lib.86 = internal constant [24 x i8] c"\00\00\00\00\00\00\F0?\8Br\8D\F9\A2(\F4?=n=\A5\FEe\F9?", align 8
@w.lib.87 = internal constant [4096 x i8] c"]=\7Ff\9E\A0\E6?\00\00\00\00\00\889=D\17u\FAR\B0\E6?\00\00\00\00\00\00\D8<\FE\D9\0Bu\12\C0\E6?\00\00\00\00\00x(\BD\BFv\D4\DD\DC\CF\E6?\00\00\00\00\00\C0\1E=)\1Ae<\B2\DF\E6?\00\00\00\00\00\00\D8\BC\E3:Y\98\92\EF\E6?\00\00\00\00\00\00\BC\BC\86\93Q\F9}\FF\E6?\00\00\00\00\00\D8/\BD\A3-\F4ft\0F\E7?\00\00\00\00\00\88,\BD\C3_\EC\E8u\1F\E7?\00\00\00\00\00\C0\13=\05\CF\EA\86\82/\E7?\00\00\00\00\0008\BDR\81\A5H\9A?\E7?\00\00\00\00\00\C0\00\BD\FC\CC\D75\BDO\E7?\00\00\00\00\00\88/=\F1gBV\EB_\E7?\00\00\00\00\00\E0\03=Hm\AB\B1$p\E7?\00\00\00\00\00\D0'\BD8]\DEOi\80\E7?\00\00\00\00\00\00\DD\BC\00\1D\AC8\B9\90\E7?\00\00\00\00\00\00\E3<x\01\EBs\14\A1\E7?\00\00\00\00\00\00\ED\BC`\D0v\09{\B1\E7?\00\00\00\00\00\40 =3\C10\01\ED\C1\E7?\00\00\00\00\00\00\A0<6\86\FFbj\D2\E7?\00\00\00\00\00\90&\BD;N\CF6\F3\E2\E7?\00\00\00\00\00\E0\02\BD\E8\C3\91\84\87\F3\E7?\00\00\00\00\00X$\BDN\1B>T'\04\E8?\00\00\00\00\00\003=\1A\07\D1\AD\D2\14\E8?\00\00\00\00\00\00\0F=~\CDL\99\89%\E8?\00\00\00\00\00\C0!\BD\D0B\B9\1EL6\E8?\00\00\00\00\00\D0)=\B5\CA#F\1AG\E8?\00\00\00\00\00\10G=\BC[\9F\17\F4W\E8?\00\00\00\00\00`\22=\AF\91D\9B\D9h\E8?\00\00\00\00\00\C42\BD\95\A31\D9\CAy\E8?\00\00\00\00\00\00#\BD\B8e\8A\D9\C7\8A\E8?\00\00\00\00\00\80*\BD\00Xx\A4\D0\9B\E8?\00\00\00\00\00\00\ED\BC#\A2*B\E5\AC\E8?\00\00\00\00\00(3=\FA\19\D6\BA\05\BE\E8?\00\00\00\00\00\B4B=\83C\B5\162\CF\E8?\00\00\00\00\00\D0.\BDLf\08^j\E0\E8?\00\00\00\00\00P \BD\07x\15\99\AE\F1\E8?\00\00\00\00\00((=\0E,(\D0\FE\02\E9?\00\00\00\00\00\B0\1C\BD\96\FF\91\0B[\14\E9?\00\00\00\00\00\E0\05\BD\F9/\AAS\C3%\E9?\00\00\00\00\00\40\F5<J\C6\CD\B077\E9?\00\00\00\00\00 \17=\AE\98_+\B8H\E9?\00\00\00\00\00\00\09\BD\CBR\C8\CBDZ\E9?\00\00\00\00\00h%=!ov\9A\DDk\E9?\00\00\00\00\00\D06\BD*N\DE\9F\82}\E9?\00\00\00\00\00\00\01\BD\A3#z\E43\8F\E9?\00\00\00\00\00\00-=\04\06\CAp\F1\A0\E9?\00\00\00\00\00\A48\BD\89\FFSM\BB\B2\E9?\00\00\00\00\00\\5=[\F1\A3\82\91\C4\E9?\00\00\00\00\00\B8&=\C5\B8K\19t\D6\E9?\00\00\00\00\00\00\EC\BC\8E#\E3\19c\E8\E9?\00\00\00\00\00\D0\17=\02\F3\07\8D^\FA\E9?\00\00\00\00\00\40\16=M\E5]{f\0C\EA?\00\00\00\00\00\00\F5\BC\F6\B8\8E\EDz\1E\EA?\00\00\00\00\00\E0\09='.J\EC\9B0\EA?\00\00\00\00\00\D8*=]\0AF\80\C9B\EA?\00\00\00\00\00\F0\1A\BD\9B%>\B2\03U\EA?\00\00\00\00\00`\0B=\13b\F4\8AJg\EA?\00\00\00\00\00\888=\A7\B30\13\9Ey\EA?\00\00\00\00\00 \11=\8D.\C1S\FE\8B\EA?\00\00\00\00\00\C0\06=\D2\FCyUk\9E\EA?\00\00\00\00\00\B8)\BD\B8o5!\E5\B0\EA?\00\00\00\00\00p+=\81\F3\D3\BFk\C3\EA?\00\00\00\00\00\00\D9<\80'<:\FF\D5\EA?\00\00\00\00\00\00\E4<\A3\D2Z\99\9F\E8\EA?\00\00\00\00\00\90,\BDg\F3\22\E6L\FB\EA?\00\00\00\00\00P\16=\90\B7\8D)\07\0E\EB?\00\00\00\00\00\D4/=\A9\89\9Al\CE \EB?\00\00\00\00\00p\12=K\1AO\B8\A23\EB?\00\00\00\00\00GM=\E7G\B7\15\84F\EB?\00\00\00\00\0088\BD:Y\E5\8DrY\EB?\00\00\00\00\00\00\98<j\C5\F1)nl\EB?\00\00\00\00\00\D0\0A=P^\FB\F2v\7F\EB?\00\00\00\00\00\80\DE<\B2I'\F2\8C\92\EB?\00\00\00\00\00\C0\04\BD\03\06\A10\B0\A5\EB?\00\00\00\00\00p\0D\BDfo\9A\B7\E0\B8\EB?\00\00\00\00\00\90\0D=\FF\C1K\90\1E\CC\EB?\00\00\00\00\00\A0\02=o\A1\F3\C3i\DF\EB?\00\00\00\00\00x\1F\BD\B8\1D\D7[\C2\F2\EB?\00\00\00\00\00\A0\10\BD\E9\B2Aa(\06\EC?\00\00\00\00\00\40\11\BD\E0R\85\DD\9B\19\EC?\00\00\00\00\00\E0\0B=\EEd\FA\D9\1C-\EC?\00\00\00\00\00\40\09\BD/\D0\FF_\AB\40\EC?\00\00\00\00\00\D0\0E\BD\15\FD\FAxGT\EC?\00\00\00\00\00f9=\CB\D0W.\F1g\EC?\00\00\00\00\00\10\1A\BD\B6\C1\88\89\A8{\EC?\00\00\00\00\80EX\BD3\E7\06\94m\8F\EC?\00\00\00\00\00H\1A\BD\DF\C4QW\40\A3\EC?\00\00\00\00\00\00\CB<\94\90\EF\DC \B7\EC?\00\00\00\00\00\40\01=\89\16m.\0F\CB\EC?\00\00\00\00\00 \F0<\12\C4]U\0B\DF\EC?\00\00\00\00\00`\F3<;\AB[[\15\F3\EC?\00\00\00\00\00\90\06\BD\BC\89\07J-\07\ED?\00\00\00\00\00\A0\09=\FA\C8\08+S\1B\ED?\00\00\00\00\00\E0\15\BD\85\8A\0D\08\87/\ED?\00\00\00\00\00(\1D=\03\A2\CA\EA\C8C\ED?\00\00\00\00\00\A0\01=\91\A4\FB\DC\18X\ED?\00\00\00\00\00\00\DF<\A1\E6b\E8vl\ED?\00\00\00\00\00\A0\03\BDN\83\C9\16\E3\80\ED?\00\00\00\00\00\D8\0C\BD\90`\FFq]\95\ED?\00\00\00\00\00\C0\F4<\AE2\DB\03\E6\A9\ED?\00\00\00\00\00\90\FF<%\83:\D6|\BE\ED?\00\00\00\00\00\80\E9<E\B4\01\F3!\D3\ED?\00\00\00\00\00 \F5\BC\BF\05\1Cd\D5\E7\ED?\00\00\00\00\00p\1D\BD\EC\9A{3\97\FC\ED?\00\00\00\00\00\14\16\BD^}\19kg\11\EE?\00\00\00\00\00H\0B=\E7\A3\F5\14F&\EE?\00\00\00\00\00\CE\40=\\\EE\16;3;\EE?\00\00\00\00\00h\0C=\B4?\8B\E7.P\EE?\00\00\00\00\000\09\BDhmg$9e\EE?\00\00\00\00\00\00\E5\BCDL\C7\FBQz\EE?\00\00\00\00\00\F8\07\BD&\B7\CDwy\8F\EE?\00\00\00\00\00p\F3\BC\E8\90\A4\A2\AF\A4\EE?\00\00\00\00\00\D0\E5<\E4\CA|\86\F4\B9\EE?\00\00\00\00\00\1A\16=\0Dh\8E-H\CF\EE?\00\00\00\00\00P\F5<\14\85\18\A2\AA\E4\EE?\00\00\00\00\00\40\C6<\13Za\EE\1B\FA\EE?\00\00\00\00\00\80\EE\BC\06A\B6\1C\9C\0F\EF?\00\00\00\00\00\88\FA\BCc\B9k7+%\EF?\00\00\00\00\00\90,\BDur\DDH\C9:\EF?\00\00\00\00\00\00\AA<$En[vP\EF?\00\00\00\00\00\F0\F4\BC\FDD\88y2f\EF?\00\00\00\00\00\80\CA<8\BE\9C\AD\FD{\EF?\00\00\00\00\00\BC\FA<\82<$\02\D8\91\EF?\00\00\00\00\00`\D4\BC\8E\90\9E\81\C1\A7\EF?\00\00\00\00\00\0C\0B\BD\11\D5\926\BA\BD\EF?\00\00\00\00\00\E0\C0\BC\94q\8F+\C2\D3\EF?\00\00\00\00\80\DE\10\BD\EE#*k\D9\E9\EF?\00\00\00\00\00C\EE<\00\00\00\00\00\00\F0?\00\00\00\00\00\00\00\00\BE\BCZ\FA\1A\0B\F0?\00\00\00\00\00\40\B3\BC\033\FB\A9=\16\F0?\00\00\00\00\00\17\12\BD\82\02;\14h!\F0?\00\00\00\00\00\40\BA<l\80w>\9A,\F0?\00\00\00\00\00\98\EF<\CA\BB\11.\D47\F0?\00\00\00\00\00\40\C7\BC\89\7Fn\E8\15C\F0?\00\00\00\00\000\D8<gT\F6r_N\F0?\00\00\00\00\00?\1A\BDZ\85\15\D3\B0Y\F0?\00\00\00\00\00\84\02\BD\95\1F<\0E\0Ae\F0?\00\00\00\00\00`\F1<\1A\F7\DD)kp\F0?\00\00\00\00\00$\15=-\A8r+\D4{\F0?\00\00\00\00\00\A0\E9\BC\D0\9Bu\18E\87\F0?\00\00\00\00\00\40\E6<\C8\07f\F6\BD\92\F0?\00\00\00\00\00x\00\BD\83\F3\C6\CA>\9E\F0?\00\00\00\00\00\00\98\BC09\1F\9B\C7\A9\F0?\00\00\00\00\00\A0\FF<\FC\88\F9lX\B5\F0?\00\00\00\00\00\C8\FA\BC\8Al\E4E\F1\C0\F0?\00\00\00\00\00\C0\D9<\16Hr+\92\CC\F0?\00\00\00\00\00 \05=\D8]9#;\D8\F0?\00\00\00\00\00\D0\FA\BC\F3\D1\D32\EC\E3\F0?\00\00\00\00\00\AC\1B=\A6\A9\DF_\A5\EF\F0?\00\00\00\00\00\E8\04\BD\F0\D2\FE\AFf\FB\F0?\00\00\00\00\000\0D\BDK#\D7(0\07\F1?\00\00\00\00\00P\F1<[[\12\D0\01\13\F1?\00\00\00\00\00\00\EC<\F9*^\AB\DB\1E\F1?\00\00\00\00\00\BC\16=\D51l\C0\BD*\F1?\00\00\00\00\00\40\E8<}\04\F2\14\A86\F1?\00\00\00\00\00\D0\0E\BD\E9-\A9\AE\9AB\F1?\00\00\00\00\00\E0\E8<81O\93\95N\F1?\00\00\00\00\00\40\EB<q\8E\A5\C8\98Z\F1?\00\00\00\00\000\05=\DF\C3qT\A4f\F1?\00\00\00\00\008\03=\11R}<\B8r\F1?\00\00\00\00\00\D4(=\9F\BB\95\86\D4~\F1?\00\00\00\00\00\D0\05\BD\93\8D\8C8\F9\8A\F1?\00\00\00\00\00\88\1C\BDf]7X&\97\F1?\00\00\00\00\00\F0\11=\A7\CBo\EB[\A3\F1?\00\00\00\00\00H\10=\E3\87\13\F8\99\AF\F1?\00\00\00\00\009G\BDT]\04\84\E0\BB\F1?\00\00\00\00\00\E4$=C\1C(\95/\C8\F1?\00\00\00\00\00 \0A\BD\B2\B9h1\87\D4\F1?\00\00\00\00\00\80\E3<1\40\B4^\E7\E0\F1?\00\00\00\00\00\C0\EA<8\D9\FC\22P\ED\F1?\00\00\00\00\00\90\01=\F7\CD8\84\C1\F9\F1?\00\00\00\00\00x\1B\BD\8F\8Db\88;\06\F2?\00\00\00\00\00\94-=\1E\A8x5\BE\12\F2?\00\00\00\00\00\00\D8<A\DD}\91I\1F\F2?\00\00\00\00\004+=#\13y\A2\DD+\F2?\00\00\00\00\00\F8\19=\E7aunz8\F2?\00\00\00\00\00\C8\19\BD'\14\82\FB\1FE\F2?\00\00\00\00\000\02=\02\A6\B2O\CEQ\F2?\00\00\00\00\00H\13\BD\B0\CE\1Eq\85^\F2?\00\00\00\00\00p\12=\16}\E2eEk\F2?\00\00\00\00\00\D0\11=\0F\E0\1D4\0Ex\F2?\00\00\00\00\00\EE1=>c\F5\E1\DF\84\F2?\00\00\00\00\00\C0\14\BD0\BB\91u\BA\91\F2?\00\00\00\00\00\D8\13\BD\09\DF\1F\F5\9D\9E\F2?\00\00\00\00\00\B0\08=\9B\0E\D1f\8A\AB\F2?\00\00\00\00\00|\22\BD:\DA\DA\D0\7F\B8\F2?\00\00\00\00\004*=\F9\1Aw9~\C5\F2?\00\00\00\00\00\80\10\BD\D9\02\E4\A6\85\D2\F2?\00\00\00\00\00\D0\0E\BDy\15d\1F\96\DF\F2?\00\00\00\00\00 \F4\BC\CF.>\A9\AF\EC\F2?\00\00\00\00\00\98$\BD\22\88\BDJ\D2\F9\F2?\00\00\00\00\000\16\BD%\B61\0A\FE\06\F3?\00\00\00\00\0062\BD\0B\A5\EE\ED2\14\F3?\00\00\00\00\80\DFp\BD\B8\D7L\FCp!\F3?\00\00\00\00\00H\22\BD\A2\E9\A8;\B8.\F3?\00\00\00\00\00\98%\BDf\17d\B2\08<\F3?\00\00\00\00\00\D0\1E='\FA\E3fbI\F3?\00\00\00\00\00\00\DC\BC\0F\9F\92_\C5V\F3?\00\00\00\00\00\D80\BD\B9\88\DE\A21d\F3?\00\00\00\00\00\C8\22=9\AA:7\A7q\F3?\00\00\00\00\00` =\FEt\1E#&\7F\F3?\00\00\00\00\00`\16\BD8\D8\05m\AE\8C\F3?\00\00\00\00\00\E0\0A\BD\C3>q\1B\40\9A\F3?\00\00\00\00\00rD\BD \A0\E54\DB\A7\F3?\00\00\00\00\00 \08=\95n\EC\BF\7F\B5\F3?\00\00\00\00\00\80>=\F2\A8\13\C3-\C3\F3?\00\00\00\00\00\80\EF<\22\E1\EDD\E5\D0\F3?\00\00\00\00\00\A0\17\BD\BB4\12L\A6\DE\F3?\00\00\00\00\000&=\CCN\1C\DFp\EC\F3?\00\00\00\00\00\A6H\BD\8C~\AC\04E\FA\F3?\00\00\00\00\00\DC<\BD\BB\A0g\C3\22\08\F4?\00\00\00\00\00\B8%=\95.\F7!\0A\16\F4?\00\00\00\00\00\C0\1E=FF\09'\FB#\F4?\00\00\00\00\00`\13\BD \A9P\D9\F51\F4?\00\00\00\00\00\98#=\EB\B9\84?\FA?\F4?\00\00\00\00\00\00\FA<\19\89a`\08N\F4?\00\00\00\00\00\C0\F6\BC\01\D2\A7B \\\F4?\00\00\00\00\00\C0\0B\BD\16\00\1D\EDAj\F4?\00\00\00\00\00\80\12\BD&3\8Bfmx\F4?\00\00\00\00\00\E00=\00<\C1\B5\A2\86\F4?\00\00\00\00\00\40-\BD\04\AF\92\E1\E1\94\F4?\00\00\00\00\00 \0C=r\D3\D7\F0*\A3\F4?\00\00\00\00\00P\1E\BD\01\B8m\EA}\B1\F4?\00\00\00\00\00\80\07=\E1)6\D5\DA\BF\F4?\00\00\00\00\00\80\13\BD2\C1\17\B8A\CE\F4?\00\00\00\00\00\80\00=\DB\DD\FD\99\B2\DC\F4?\00\00\00\00\00p,=\96\AB\D8\81-\EB\F4?\00\00\00\00\00\E0\1C\BD\02-\9Dv\B2\F9\F4?\00\00\00\00\00 \19=\C11E\7FA\08\F5?\00\00\00\00\00\C0\08\BD*f\CF\A2\DA\16\F5?\00\00\00\00\00\00\FA\BC\EAQ?\E8}%\F5?\00\00\00\00\00\08J=\DAN\9DV+4\F5?\00\00\00\00\00\D8&\BD\1A\AC\F6\F4\E2B\F5?\00\00\00\00\00D2\BD\DB\94]\CA\A4Q\F5?\00\00\00\00\00<H=k\11\E9\DDp`\F5?\00\00\00\00\00\B0$=\DE)\B56Go\F5?\00\00\00\00\00ZA=\0E\C4\E2\DB'~\F5?\00\00\00\00\00\E0)\BDo\C7\97\D4\12\8D\F5?\00\00\00\00\00\08#\BDL\0B\FF'\08\9C\F5?\00\00\00\00\00\ECM='TH\DD\07\AB\F5?\00\00\00\00\00\00\C4\BC\F4z\A8\FB\11\BA\F5?\00\00\00\00\00\080=\0BFY\8A&\C9\F5?\00\00\00\00\00\C8&\BD?\8E\99\90E\D8\F5?\00\00\00\00\00\9AF=\E1 \AD\15o\E7\F5?\00\00\00\00\00\40\1B\BD\CA\EB\DC \A3\F6\F5?\00\00\00\00\00p\17=\B8\DCv\B9\E1\05\F6?\00\00\00\00\00\F8&=\15\F7\CD\E6*\15\F6?\00\00\00\00\00\00\01=1U:\B0~$\F6?\00\00\00\00\00\D0\15\BD\B5)\19\1D\DD3\F6?\00\00\00\00\00\D0\12\BD\13\C3\CC4FC\F6?\00\00\00\00\00\80\EA\BC\FA\8E\BC\FE\B9R\F6?\00\00\00\00\00`(\BD\973U\828b\F6?\00\00\00\00\00\FEq=\8E2\08\C7\C1q\F6?\00\00\00\00\00 7\BD~\A9L\D4U\81\F6?\00\00\00\00\00\80\E6<q\94\9E\B1\F4\90\F6?\00\00\00\00\00x)\BD", align 8
@w.lib.88 = internal constant [8 x i8] c"\00\00\00?\00\00\00\BF", align 4
@w.lib.89 = internal constant [8 x i8] c"\00\00\80?\00\00\C0?", align 4
@w.lib.90 = internal constant [8 x i8] c"\00\00\00\00\DC\CF\D15", align 4
@w.lib.91 = internal constant [8 x i8] c"\00\00\00\00\00\C0\15?", align 4
@w.lib.92 = internal constant [16 x i8] c"8c\ED>\DA\0FI?^\98{?\DA\0F\C9?", align 4
@w.lib.93 = internal constant [16 x i8] c"i7\AC1h!\223\B4\0F\143h!\A23", align 4
@w.lib.95 = internal constant [128 x i8] c"\CD;\7Ff\9E\A0\E6?\87\01\EBs\14\A1\E7?\DB\A0*B\E5\AC\E8?\90\F0\A3\82\91\C4\E9?\AD\D3Z\99\9F\E8\EA?\9CR\85\DD\9B\19\EC?\87\A4\FB\DC\18X\ED?\DA\90\A4\A2\AF\A4\EE?\00\00\00\00\00\00\F0?\0F\89\F9lX\B5\F0?{Q}<\B8r\F1?8bunz8\F2?\15\B71\0A\FE\06\F3?\224\12L\A6\DE\F3?'*6\D5\DA\BF\F4?)TH\DD\07\AB\F5?", align 8
@w.lib.112 = internal constant [4 x double] [double 0x3FE921FB54442D18, double 0xBFE921FB54442D18, double 0x4002D97C7F3321D2, double 0xC002D97C7F3321D2], align 8
@w.lib.113 = internal constant [4 x double] [double 0.000000e+00, double -0.000000e+00, double 0x400921FB54442D18, double 0xC00921FB54442D18], align 8
@w.lib.114 = internal constant [4 x float] [float 0x3FE921FB60000000, float 0xBFE921FB60000000, float 0x4002D97C80000000, float 0xC002D97C80000000], align 4
@w.lib.115 = internal constant [4 x float] [float 0.000000e+00, float -0.000000e+00, float 0x400921FB60000000, float 0xC00921FB60000000], align 4
define internal double @wl.exp.f64(double %self) nounwind {
start:
  %_0 = call double @w.lib.323(double %self)
  ret double %_0
}
define internal double @wl.log.f64(double %self) nounwind {
start:
  %_0 = call double @w.lib.321(double %self)
  ret double %_0
}
define internal double @w.lib.320(double %q) nounwind {
start:
  %_2 = fcmp oeq double %q, 0.000000e+00
  br i1 %_2, label %bb29, label %bb2
bb2:
  %_0.i = call double @w.lib.321(double %q)
  %l = fneg double %_0.i
  %0 = call double @llvm.sqrt.f64(double %l)
  %1 = call double @llvm.maxnum.f64(double %0, double 4.000000e-01)
  br label %bb10
bb10:
  %x.sroa.0.023 = phi double [ %1, %bb2 ], [ %4, %bb10 ]
  %iter.sroa.0.022 = phi i32 [ 0, %bb2 ], [ %2, %bb10 ]
  %2 = add nuw nsw i32 %iter.sroa.0.022, 1
  %_14 = fmul double %x.sroa.0.023, 0x3FFC5BF891B4EF6A
  %_0.i5 = call double @w.lib.321(double %_14)
  %_12 = fsub double %l, %_0.i5
  %3 = call double @llvm.maxnum.f64(double %_12, double 1.600000e-01)
  %4 = call double @llvm.sqrt.f64(double %3)
  %exitcond.not = icmp eq i32 %2, 3
  br i1 %exitcond.not, label %bb19, label %bb10
bb19:
  %x.sroa.0.125 = phi double [ %x.sroa.0.3, %bb28 ], [ %4, %bb10 ]
  %iter1.sroa.0.024 = phi i32 [ %5, %bb28 ], [ 0, %bb10 ]
  %5 = add nuw nsw i32 %iter1.sroa.0.024, 1
  %c = call double @w.lib.322(double %x.sroa.0.125)
  %_23 = fcmp olt double %c, 0x10000000000000
  br i1 %_23, label %bb22, label %bb25
bb29:
  %x.sroa.0.2 = phi double [ 0x7FF0000000000000, %start ], [ %x.sroa.0.3, %bb28 ]
  ret double %x.sroa.0.2
bb25:
  %_57 = fneg double %x.sroa.0.125
  %_56 = fmul double %x.sroa.0.125, %_57
  %_0.i13 = call double @w.lib.323(double %_56)
  %_54 = fmul double %_0.i13, 0x3FF20DD750429B6D
  %slope = fdiv double %_54, %c
  %_62 = fdiv double %c, %q
  %_0.i14 = call double @w.lib.321(double %_62)
  %_60 = fdiv double %_0.i14, %slope
  br label %bb28
bb22:
  %_25 = fmul double %x.sroa.0.125, %x.sroa.0.125
  %t = fdiv double 5.000000e-01, %_25
  %_37 = fmul double %t, 9.450000e+02
  %_36 = fsub double 1.050000e+02, %_37
  %_35 = fmul double %t, %_36
  %_34 = fsub double 1.500000e+01, %_35
  %_33 = fmul double %t, %_34
  %_32 = fsub double 3.000000e+00, %_33
  %_31 = fmul double %t, %_32
  %_30 = fsub double 1.000000e+00, %_31
  %_29 = fmul double %t, %_30
  %series = fsub double 1.000000e+00, %_29
  %_40 = fneg double %x.sroa.0.125
  %_39 = fmul double %x.sroa.0.125, %_40
  %_45 = fmul double %x.sroa.0.125, 0x3FFC5BF891B4EF6A
  %_44 = fdiv double %_45, %series
  %_0.i15 = call double @w.lib.321(double %_44)
  %log = fsub double %_39, %_0.i15
  %_50 = fsub double %log, %_0.i
  %_49 = fmul double %series, %_50
  %_51 = fmul double %x.sroa.0.125, 2.000000e+00
  %_48 = fdiv double %_49, %_51
  br label %bb28
bb28:
  %_48.pn = phi double [ %_48, %bb22 ], [ %_60, %bb25 ]
  %x.sroa.0.3 = fadd double %x.sroa.0.125, %_48.pn
  %exitcond26.not = icmp eq i32 %5, 6
  br i1 %exitcond26.not, label %bb29, label %bb19
}
define internal double @w.lib.324(double %p) nounwind {
start:
  %_0.i = fcmp uno double %p, 0.000000e+00
  br i1 %_0.i, label %bb30, label %bb2
bb2:
  %0 = call double @llvm.fabs.f64(double %p)
  %_3 = fcmp ogt double %0, 1.000000e+00
  br i1 %_3, label %bb30, label %bb6
bb6:
  %_5 = fcmp ogt double %0, 5.000000e-01
  br i1 %_5, label %bb8, label %bb12
bb12:
  %_12 = fneg double %p
  %_11 = fmul double %p, %_12
  %_0.i2 = call double @w.lib.325(double %_11)
  %_14 = fmul double %_0.i2, 5.000000e-01
  %b = fadd double %_14, 0x401152AF46B7C65E
  %_20 = fmul double %b, %b
  %_21 = fdiv double %_0.i2, 1.470000e-01
  %_19 = fsub double %_20, %_21
  %1 = call double @llvm.sqrt.f64(double %_19)
  %_17 = fsub double %1, %b
  %2 = call double @llvm.maxnum.f64(double %_17, double 0.000000e+00)
  %3 = call double @llvm.sqrt.f64(double %2)
  %4 = call double @llvm.copysign.f64(double %3, double %p)
  br label %bb22
bb8:
  %_8 = fsub double 1.000000e+00, %0
  %_7 = call double @w.lib.320(double %_8)
  %5 = call double @llvm.copysign.f64(double %_7, double %p)
  br label %bb30
bb22:
  %x.sroa.0.08 = phi double [ %4, %bb12 ], [ %7, %bb22 ]
  %iter.sroa.0.07 = phi i32 [ 0, %bb12 ], [ %6, %bb22 ]
  %6 = add nuw nsw i32 %iter.sroa.0.07, 1
  %_28 = call double @w.lib.326(double %x.sroa.0.08)
  %f = fsub double %_28, %p
  %_34 = fneg double %x.sroa.0.08
  %_33 = fmul double %x.sroa.0.08, %_34
  %_0.i3 = call double @w.lib.323(double %_33)
  %_31 = fmul double %_0.i3, 0x3FF20DD750429B6D
  %u = fdiv double %f, %_31
  %_39 = fmul double %x.sroa.0.08, %u
  %_38 = fadd double %_39, 1.000000e+00
  %_37 = fdiv double %u, %_38
  %7 = fsub double %x.sroa.0.08, %_37
  %exitcond.not = icmp eq i32 %6, 3
  br i1 %exitcond.not, label %bb23, label %bb22
bb23:
  %_41 = fcmp olt double %0, 1.000000e-09
  br i1 %_41, label %bb27, label %bb30
bb27:
  %8 = fmul double %p, 0x3FEC5BF891B4EF6B
  br label %bb30
bb30:
  %x.sroa.0.1 = phi double [ %7, %bb23 ], [ %5, %bb8 ], [ %8, %bb27 ], [ 0x7FF8000000000000, %bb2 ], [ 0x7FF8000000000000, %start ]
  ret double %x.sroa.0.1
}
define internal double @w.lib.327(double %0) nounwind {
start:
  %_0.i = fcmp uno double %0, 0.000000e+00
  br i1 %_0.i, label %bb14, label %bb2
bb2:
  %_0.i4.i.i = fcmp oge double %0, 0.000000e+00
  %_0.i.i.i = fcmp ole double %0, 2.000000e+00
  %_0.sroa.0.0.i.i = and i1 %_0.i4.i.i, %_0.i.i.i
  br i1 %_0.sroa.0.0.i.i, label %bb4, label %bb14
bb4:
  %_5 = fcmp ogt double %0, 5.000000e-01
  br i1 %_5, label %bb6, label %bb7
bb7:
  %1 = call double @w.lib.320(double %0)
  br label %bb14
bb6:
  %_6 = fcmp olt double %0, 1.500000e+00
  br i1 %_6, label %bb8, label %bb10
bb10:
  %_9 = fsub double 2.000000e+00, %0
  %_8 = call double @w.lib.320(double %_9)
  %2 = fneg double %_8
  br label %bb14
bb8:
  %_7 = fsub double 1.000000e+00, %0
  %3 = call double @w.lib.324(double %_7)
  br label %bb14
bb14:
  %_0.sroa.0.0 = phi double [ %1, %bb7 ], [ %3, %bb8 ], [ %2, %bb10 ], [ 0x7FF8000000000000, %bb2 ], [ 0x7FF8000000000000, %start ]
  ret double %_0.sroa.0.0
}
define internal i32 @w.lib.331(ptr noalias nonnull readonly align 8 %x.0, i64 %x.1, ptr noalias nonnull writeonly align 8 %y.0, i32 %e0, i64 %prec) nounwind {
start:
  %iq = alloca [80 x i8], align 4
  %q = alloca [160 x i8], align 8
  %fq = alloca [160 x i8], align 8
  %f = alloca [160 x i8], align 8
  call void @llvm.memset.p0.i64(ptr nonnull align 8 dereferenceable(160) %f, i8 0, i64 160, i1 false)
  call void @llvm.memset.p0.i64(ptr nonnull align 8 dereferenceable(160) %fq, i8 0, i64 160, i1 false)
  call void @llvm.memset.p0.i64(ptr nonnull align 8 dereferenceable(160) %q, i8 0, i64 160, i1 false)
  call void @llvm.memset.p0.i64(ptr nonnull align 4 dereferenceable(80) %iq, i8 0, i64 80, i1 false)
  %_0.i.i = getelementptr inbounds i64, ptr @w.lib.13, i64 %prec
  %jk = load i64, ptr %_0.i.i, align 8
  %jx = add nsw i64 %x.1, -1
  %0 = trunc i32 %e0 to i16
  %.lhs.trunc = add i16 %0, -3
  %1 = sdiv i16 %.lhs.trunc, 24
  %.sext = sext i16 %1 to i32
  %_29 = trunc nsw i64 %jx to i32
  %2 = sub nsw i32 %.sext, %_29
  %m = add i64 %jk, %jx
  br label %bb2.i.i
bb2.i.i:
  %j.sroa.0.0508 = phi i32 [ %2, %start ], [ %66, %bb17 ]
  %iter.sroa.0.0507 = phi i64 [ 0, %start ], [ %spec.select472, %bb17 ]
  %_0.i3.i.i = icmp uge i64 %iter.sroa.0.0507, %m
  %not._0.i3.i.i = xor i1 %_0.i3.i.i, true
  %_0.i4.i.i = zext i1 %not._0.i3.i.i to i64
  %spec.select472 = add nuw i64 %iter.sroa.0.0507, %_0.i4.i.i
  %_39 = icmp slt i32 %j.sroa.0.0508, 0
  br i1 %_39, label %bb17, label %bb15
bb34.preheader:
  %.neg = mul nsw i32 %.sext, -24
  %_23.neg = add nsw i32 %e0, -24
  %3 = add nsw i32 %_23.neg, %.neg
  %jv24 = zext nneg i32 %.sext to i64
  %_116 = icmp sgt i32 %3, 0
  %4 = icmp eq i32 %3, 0
  %_124 = sub nsw i32 24, %3
  %5 = and i32 %_124, 31
  %_141 = sub nsw i32 23, %3
  %6 = and i32 %_141, 31
  %_63.i.i = add nsw i32 %3, 1023
  %_0.i.i.i.i.i = zext nneg i32 %_63.i.i to i64
  %_0.i1.i.i.i = shl nuw nsw i64 %_0.i.i.i.i.i, 52
  %_0.i.i5.i.i.i = bitcast i64 %_0.i1.i.i.i to double
  br label %bb34
bb2.i.i159:
  %iter1.sroa.0.0511 = phi i64 [ %spec.select474, %bb30 ], [ 0, %bb17 ]
  %_71 = add i64 %iter1.sroa.0.0511, %jx
  br label %bb2.i.i362
bb34:
  %jz.sroa.0.0 = phi i64 [ %jk, %bb34.preheader ], [ %_218, %bb34.backedge ]
  %_5.i.i = icmp ult i64 %jz.sroa.0.0, 20
  %_0.i.i167 = getelementptr inbounds double, ptr %q, i64 %jz.sroa.0.0
  %7 = load double, ptr %_0.i.i167, align 8
  %_0.i.not.i.i.i512 = icmp eq i64 %jz.sroa.0.0, 0
  br i1 %_0.i.not.i.i.i512, label %bb42, label %bb2.i.i.i
bb2.i.i.i:
  %z.sroa.0.0515 = phi double [ %11, %bb2.i.i.i ], [ %7, %bb34 ]
  %i.sroa.0.0514 = phi i32 [ %12, %bb2.i.i.i ], [ 0, %bb34 ]
  %iter3.sroa.4.0513 = phi i64 [ %spec.select475, %bb2.i.i.i ], [ %jz.sroa.0.0, %bb34 ]
  %_0.i3.i.i.i = icmp eq i64 %iter3.sroa.4.0513, 1
  %_0.i4.i.i.i = add nsw i64 %iter3.sroa.4.0513, -1
  %spec.select475 = select i1 %_0.i3.i.i.i, i64 1, i64 %_0.i4.i.i.i
  %_92 = fmul double %z.sroa.0.0515, 0x3E70000000000000
  %_91 = call i32 @llvm.fptosi.sat.i32.f64(double %_92)
  %8 = sitofp i32 %_91 to double
  %_95 = fmul double %8, 0x4170000000000000
  %_94 = fsub double %z.sroa.0.0515, %_95
  %_100 = sext i32 %i.sroa.0.0514 to i64
  %_0.i.i168 = getelementptr inbounds i32, ptr %iq, i64 %_100
  %9 = call i32 @llvm.fptosi.sat.i32.f64(double %_94)
  store i32 %9, ptr %_0.i.i168, align 4
  %10 = getelementptr double, ptr %q, i64 %iter3.sroa.4.0513
  %_0.i.i170 = getelementptr i8, ptr %10, i64 -8
  %_102 = load double, ptr %_0.i.i170, align 8
  %11 = fadd double %_102, %8
  %12 = add i32 %i.sroa.0.0514, 1
  %_0.i.not.i.i.i = icmp eq i64 %spec.select475, 0
  %or.cond495 = or i1 %_0.i3.i.i.i, %_0.i.not.i.i.i
  br i1 %or.cond495, label %bb42, label %bb2.i.i.i
bb42:
  %z.sroa.0.0.lcssa = phi double [ %7, %bb34 ], [ %11, %bb2.i.i.i ]
  %_107 = call double @w.lib.332(double %z.sroa.0.0.lcssa, i32 %3)
  %_111 = fmul double %_107, 1.250000e-01
  %_0.i = call double @w.lib.333(double %_111)
  %_109 = fmul double %_0.i, 8.000000e+00
  %13 = fsub double %_107, %_109
  %14 = call i32 @llvm.fptosi.sat.i32.f64(double %13)
  %_114 = sitofp i32 %14 to double
  %15 = fsub double %13, %_114
  br i1 %_116, label %bb47, label %bb51
bb51:
  br i1 %4, label %bb52, label %bb54
bb47:
  %16 = getelementptr i32, ptr %iq, i64 %jz.sroa.0.0
  %_0.i.i172 = getelementptr i8, ptr %16, i64 -4
  %_118 = load i32, ptr %_0.i.i172, align 4
  %17 = ashr i32 %_118, %5
  %18 = add i32 %17, %14
  %_127 = shl i32 %17, %5
  %19 = sub i32 %_118, %_127
  store i32 %19, ptr %_0.i.i172, align 4
  %20 = ashr i32 %19, %6
  br label %bb59
bb52:
  %21 = getelementptr i32, ptr %iq, i64 %jz.sroa.0.0
  %_0.i.i177 = getelementptr i8, ptr %21, i64 -4
  %_144 = load i32, ptr %_0.i.i177, align 4
  %22 = ashr i32 %_144, 23
  br label %bb59
bb54:
  %_150 = fcmp ult double %15, 5.000000e-01
  br i1 %_150, label %bb89, label %bb60
bb59:
  %ih.sroa.0.0 = phi i32 [ %20, %bb47 ], [ %22, %bb52 ]
  %n.sroa.0.0 = phi i32 [ %18, %bb47 ], [ %14, %bb52 ]
  %_152 = icmp sgt i32 %ih.sroa.0.0, 0
  br i1 %_152, label %bb60, label %bb89
bb60:
  %n.sroa.0.0404 = phi i32 [ %n.sroa.0.0, %bb59 ], [ %14, %bb54 ]
  %ih.sroa.0.0403 = phi i32 [ %ih.sroa.0.0, %bb59 ], [ 2, %bb54 ]
  %23 = add i32 %n.sroa.0.0404, 1
  br i1 %_0.i.not.i.i.i512, label %bb65, label %bb64
bb89:
  %ih.sroa.0.0402 = phi i32 [ 2, %bb81 ], [ 2, %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit ], [ 2, %bb80 ], [ %ih.sroa.0.0, %bb59 ], [ 0, %bb54 ]
  %z.sroa.0.1 = phi double [ %29, %bb81 ], [ %30, %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit ], [ %15, %bb80 ], [ %15, %bb59 ], [ %15, %bb54 ]
  %n.sroa.0.1 = phi i32 [ %23, %bb81 ], [ %23, %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit ], [ %23, %bb80 ], [ %n.sroa.0.0, %bb59 ], [ %14, %bb54 ]
  %_190 = fcmp oeq double %z.sroa.0.1, 0.000000e+00
  br i1 %_190, label %bb90, label %bb125
bb64:
  %carry.sroa.0.0518 = phi i32 [ %carry.sroa.0.1, %bb73 ], [ 0, %bb60 ]
  %iter4.sroa.0.0517 = phi i64 [ %_0.i1.i.i, %bb73 ], [ 0, %bb60 ]
  %_0.i1.i.i = add nuw nsw i64 %iter4.sroa.0.0517, 1
  %_0.i.i183 = getelementptr inbounds i32, ptr %iq, i64 %iter4.sroa.0.0517
  %j37 = load i32, ptr %_0.i.i183, align 4
  %24 = icmp eq i32 %carry.sroa.0.0518, 0
  br i1 %24, label %bb67, label %bb73.sink.split
bb65:
  %carry.sroa.0.0.lcssa = phi i1 [ true, %bb60 ], [ %63, %bb73 ]
  br i1 %_116, label %bb74, label %bb80
bb74:
  switch i32 %3, label %bb80 [
    i32 1, label %bb80.sink.split
    i32 2, label %bb76
  ]
bb80.sink.split:
  %.sink579 = phi i32 [ 4194303, %bb76 ], [ 8388607, %bb74 ]
  %25 = getelementptr i32, ptr %iq, i64 %jz.sroa.0.0
  %_0.i.i185 = getelementptr i8, ptr %25, i64 -4
  %26 = load i32, ptr %_0.i.i185, align 4
  %27 = and i32 %26, %.sink579
  store i32 %27, ptr %_0.i.i185, align 4
  br label %bb80
bb80:
  %28 = icmp eq i32 %ih.sroa.0.0403, 2
  br i1 %28, label %bb81, label %bb89
bb76:
  br label %bb80.sink.split
bb81:
  %29 = fsub double 1.000000e+00, %15
  br i1 %carry.sroa.0.0.lcssa, label %bb89, label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit
_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit:
  %30 = fsub double %29, %_0.i.i5.i.i.i
  br label %bb89
bb90:
  %_196 = add nsw i64 %jz.sroa.0.0, -1
  %_0.i.not.i.i.i194520 = icmp ugt i64 %jk, %_196
  br i1 %_0.i.not.i.i.i194520, label %bb101.preheader, label %bb2.i.i.i195
bb2.i.i.i195:
  %j5.sroa.0.0522 = phi i32 [ %31, %bb2.i.i.i195 ], [ 0, %bb90 ]
  %iter6.sroa.4.0521 = phi i64 [ %spec.select477, %bb2.i.i.i195 ], [ %_196, %bb90 ]
  %_0.i3.i.i.i196 = icmp uge i64 %jk, %iter6.sroa.4.0521
  %not._0.i3.i.i.i196 = xor i1 %_0.i3.i.i.i196, true
  %_0.i4.i.i.i201 = sext i1 %not._0.i3.i.i.i196 to i64
  %spec.select477 = add nsw i64 %iter6.sroa.4.0521, %_0.i4.i.i.i201
  %_5.i.i203 = icmp ult i64 %iter6.sroa.4.0521, 20
  %_0.i.i204 = getelementptr inbounds i32, ptr %iq, i64 %iter6.sroa.4.0521
  %_203 = load i32, ptr %_0.i.i204, align 4
  %31 = or i32 %_203, %j5.sroa.0.0522
  %_0.i.not.i.i.i194 = icmp ugt i64 %jk, %spec.select477
  %or.cond496 = or i1 %_0.i3.i.i.i196, %_0.i.not.i.i.i194
  br i1 %or.cond496, label %bb97, label %bb2.i.i.i195
bb97:
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %bb101.preheader, label %bb126
bb101.preheader:
  br label %bb101
bb101:
  %k.sroa.0.0 = phi i64 [ %34, %bb101 ], [ 1, %bb101.preheader ]
  %_212 = sub i64 %jk, %k.sroa.0.0
  %_0.i.i205 = getelementptr inbounds i32, ptr %iq, i64 %_212
  %_208 = load i32, ptr %_0.i.i205, align 4
  %33 = icmp eq i32 %_208, 0
  %34 = add i64 %k.sroa.0.0, 1
  br i1 %33, label %bb101, label %bb104
bb104:
  %_218 = add i64 %k.sroa.0.0, %jz.sroa.0.0
  %_0.i.not.i.i211526.not = icmp ult i64 %jz.sroa.0.0, %_218
  br i1 %_0.i.not.i.i211526.not, label %bb2.i.i212.preheader, label %bb34.backedge
bb34.backedge:
  br label %bb34
bb2.i.i212.preheader:
  %_216 = add nuw nsw i64 %jz.sroa.0.0, 1
  br label %bb2.i.i212
bb2.i.i212:
  %iter7.sroa.0.0527 = phi i64 [ %spec.select479, %bb118 ], [ %_216, %bb2.i.i212.preheader ]
  %_229 = add i64 %iter7.sroa.0.0527, %jv24
  %_5.i.i220 = icmp ult i64 %_229, 690
  %_0.i.i221 = getelementptr inbounds i32, ptr @w.lib.14, i64 %_229
  %_226 = load i32, ptr %_0.i.i221, align 4
  %_233 = add i64 %iter7.sroa.0.0527, %jx
  %_0.i.i222 = getelementptr inbounds double, ptr %f, i64 %_233
  %35 = sitofp i32 %_226 to double
  store double %35, ptr %_0.i.i222, align 8
  br label %bb2.i.i229
bb2.i.i229:
  %fw.sroa.0.0525 = phi double [ 0.000000e+00, %bb2.i.i212 ], [ %36, %bb2.i.i229 ]
  %iter8.sroa.0.0524 = phi i64 [ 0, %bb2.i.i212 ], [ %spec.select481, %bb2.i.i229 ]
  %_0.i3.i.i230 = icmp uge i64 %iter8.sroa.0.0524, %jx
  %not._0.i3.i.i230 = xor i1 %_0.i3.i.i230, true
  %_0.i4.i.i235 = zext i1 %not._0.i3.i.i230 to i64
  %spec.select481 = add nuw i64 %iter8.sroa.0.0524, %_0.i4.i.i235
  %_5.i.i237 = icmp ult i64 %iter8.sroa.0.0524, %x.1
  %_0.i.i238 = getelementptr inbounds double, ptr %x.0, i64 %iter8.sroa.0.0524
  %_242 = load double, ptr %_0.i.i238, align 8
  %_248 = sub i64 %_233, %iter8.sroa.0.0524
  %_5.i.i239 = icmp ult i64 %_248, 20
  %_0.i.i240 = getelementptr inbounds double, ptr %f, i64 %_248
  %_244 = load double, ptr %_0.i.i240, align 8
  %_241 = fmul double %_242, %_244
  %36 = fadd double %fw.sroa.0.0525, %_241
  %_0.i.not.i.i228 = icmp ugt i64 %spec.select481, %jx
  %or.cond498 = select i1 %_0.i3.i.i230, i1 true, i1 %_0.i.not.i.i228
  br i1 %or.cond498, label %bb118, label %bb2.i.i229
bb118:
  %_0.i3.i.i213 = icmp uge i64 %iter7.sroa.0.0527, %_218
  %not._0.i3.i.i213 = xor i1 %_0.i3.i.i213, true
  %_0.i4.i.i218 = zext i1 %not._0.i3.i.i213 to i64
  %spec.select479 = add nuw i64 %iter7.sroa.0.0527, %_0.i4.i.i218
  %_0.i.i241 = getelementptr inbounds double, ptr %q, i64 %iter7.sroa.0.0527
  store double %36, ptr %_0.i.i241, align 8
  %_0.i.not.i.i211 = icmp ugt i64 %spec.select479, %_218
  %or.cond497 = select i1 %_0.i3.i.i213, i1 true, i1 %_0.i.not.i.i211
  br i1 %or.cond497, label %bb34.backedge, label %bb2.i.i212
bb125:
  %_260 = sub nsw i32 0, %3
  %_259 = call double @w.lib.332(double %z.sroa.0.1, i32 %_260)
  %_262 = fcmp ult double %_259, 0x4170000000000000
  br i1 %_262, label %bb137.sink.split, label %bb131
bb131:
  %_265 = fmul double %_259, 0x3E70000000000000
  %_264 = call i32 @llvm.fptosi.sat.i32.f64(double %_265)
  %37 = sitofp i32 %_264 to double
  %_268 = fmul double %37, 0x4170000000000000
  %_267 = fsub double %_259, %_268
  %_0.i.i243 = getelementptr inbounds i32, ptr %iq, i64 %jz.sroa.0.0
  %38 = call i32 @llvm.fptosi.sat.i32.f64(double %_267)
  store i32 %38, ptr %_0.i.i243, align 4
  %39 = add nuw nsw i64 %jz.sroa.0.0, 1
  %40 = add nsw i32 %.neg, %e0
  br label %bb137.sink.split
bb137.sink.split:
  %jz.sroa.0.0.lcssa.sink = phi i64 [ %39, %bb131 ], [ %jz.sroa.0.0, %bb125 ]
  %_259.sink = phi double [ %37, %bb131 ], [ %_259, %bb125 ]
  %q0.sroa.0.0.ph = phi i32 [ %40, %bb131 ], [ %3, %bb125 ]
  %_0.i.i242 = getelementptr inbounds i32, ptr %iq, i64 %jz.sroa.0.0.lcssa.sink
  %41 = call i32 @llvm.fptosi.sat.i32.f64(double %_259.sink)
  store i32 %41, ptr %_0.i.i242, align 4
  br label %bb137
bb137:
  %jz.sroa.0.1 = phi i64 [ %jz.sroa.0.0.lcssa.sink, %bb137.sink.split ], [ %jz.sroa.0.2, %bb126 ]
  %q0.sroa.0.0 = phi i32 [ %q0.sroa.0.0.ph, %bb137.sink.split ], [ %q0.sroa.0.1, %bb126 ]
  %_12.i.i245 = icmp sgt i32 %q0.sroa.0.0, 1023
  br i1 %_12.i.i245, label %bb4.i.i259, label %bb13.i.i246
bb13.i.i246:
  %_22.i.i247 = icmp slt i32 %q0.sroa.0.0, -1022
  br i1 %_22.i.i247, label %bb15.i.i255, label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263
bb4.i.i259:
  %42 = add nsw i32 %q0.sroa.0.0, -1023
  %_16.i.i260 = icmp ugt i32 %q0.sroa.0.0, 2046
  br i1 %_16.i.i260, label %bb6.i.i261, label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263
bb15.i.i255:
  %43 = add nuw nsw i32 %q0.sroa.0.0, 969
  %_31.i.i256 = icmp ult i32 %q0.sroa.0.0, -1991
  br i1 %_31.i.i256, label %bb18.i.i257, label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263
bb18.i.i257:
  %44 = call i32 @llvm.umax.i32(i32 %q0.sroa.0.0, i32 -2960)
  %spec.store.select.i.i258 = add nuw nsw i32 %44, 1938
  br label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263
bb6.i.i261:
  %45 = call i32 @llvm.umin.i32(i32 %q0.sroa.0.0, i32 3069)
  %spec.store.select4.i.i262 = add nsw i32 %45, -2046
  br label %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263
_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263:
  %x.sroa.0.0.i.i248 = phi double [ 0x7FF0000000000000, %bb6.i.i261 ], [ 0x7FE0000000000000, %bb4.i.i259 ], [ 0.000000e+00, %bb18.i.i257 ], [ 0x360000000000000, %bb15.i.i255 ], [ 1.000000e+00, %bb13.i.i246 ]
  %n.sroa.0.0.i.i249 = phi i32 [ %spec.store.select4.i.i262, %bb6.i.i261 ], [ %42, %bb4.i.i259 ], [ %spec.store.select.i.i258, %bb18.i.i257 ], [ %43, %bb15.i.i255 ], [ %q0.sroa.0.0, %bb13.i.i246 ]
  %_63.i.i250 = add nsw i32 %n.sroa.0.0.i.i249, 1023
  %_0.i.i.i.i.i251 = zext nneg i32 %_63.i.i250 to i64
  %_0.i1.i.i.i252 = shl nuw nsw i64 %_0.i.i.i.i.i251, 52
  %_0.i.i5.i.i.i253 = bitcast i64 %_0.i1.i.i.i252 to double
  %_0.i.i.i254 = fmul double %x.sroa.0.0.i.i248, %_0.i.i5.i.i.i253
  br label %bb2.i.i.i272
bb126:
  %jz.sroa.0.2.in = phi i64 [ %jz.sroa.0.2, %bb126 ], [ %jz.sroa.0.0, %bb97 ]
  %q0.sroa.0.1.in = phi i32 [ %q0.sroa.0.1, %bb126 ], [ %3, %bb97 ]
  %q0.sroa.0.1 = add i32 %q0.sroa.0.1.in, -24
  %jz.sroa.0.2 = add nsw i64 %jz.sroa.0.2.in, -1
  %_0.i.i265 = getelementptr inbounds i32, ptr %iq, i64 %jz.sroa.0.2
  %_254 = load i32, ptr %_0.i.i265, align 4
  %46 = icmp eq i32 %_254, 0
  br i1 %46, label %bb126, label %bb137
bb2.i.i.i272:
  %fw.sroa.0.1529 = phi double [ %_0.i.i.i254, %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263 ], [ %48, %bb2.i.i.i272 ]
  %iter9.sroa.4.0528 = phi i64 [ %jz.sroa.0.1, %_RNvNtNtCsh537bOAIRKx_3lib4math6scalbn6scalbn.exit263 ], [ %spec.select483560, %bb2.i.i.i272 ]
  %_0.i3.i.i.i273 = icmp eq i64 %iter9.sroa.4.0528, 0
  %spec.select483560 = add nsw i64 %iter9.sroa.4.0528, -1
  %_5.i.i280 = icmp ult i64 %iter9.sroa.4.0528, 20
  %_0.i.i281 = getelementptr inbounds i32, ptr %iq, i64 %iter9.sroa.4.0528
  %_294 = load i32, ptr %_0.i.i281, align 4
  %_293 = sitofp i32 %_294 to double
  %_0.i.i282 = getelementptr inbounds double, ptr %q, i64 %iter9.sroa.4.0528
  %47 = fmul double %fw.sroa.0.1529, %_293
  store double %47, ptr %_0.i.i282, align 8
  %48 = fmul double %fw.sroa.0.1529, 0x3E70000000000000
  br i1 %_0.i3.i.i.i273, label %bb2.i.i.i289, label %bb2.i.i.i272
bb2.i.i.i289:
  %iter10.sroa.4.0532 = phi i64 [ %iter10.sroa.4.1561, %bb162 ], [ %jz.sroa.0.1, %bb2.i.i.i272 ]
  %_315 = sub i64 %jz.sroa.0.1, %iter10.sroa.4.0532
  %_315.fr = freeze i64 %_315
  %invariant.umin = call i64 @llvm.umin.i64(i64 %jk, i64 %_315.fr)
  br label %bb157
bb154:
  %49 = icmp eq i64 %prec, 0
  br i1 %49, label %bb2.i.i.i303, label %bb2.i.i.i320
bb248:
  %_0 = and i32 %n.sroa.0.1, 7
  ret i32 %_0
bb2.i.i.i303:
  %fw.sroa.0.2540 = phi double [ %50, %bb2.i.i.i303 ], [ 0.000000e+00, %bb154 ]
  %iter12.sroa.4.0539 = phi i64 [ %spec.select485562, %bb2.i.i.i303 ], [ %jz.sroa.0.1, %bb154 ]
  %_0.i3.i.i.i304 = icmp eq i64 %iter12.sroa.4.0539, 0
  %spec.select485562 = add nsw i64 %iter12.sroa.4.0539, -1
  %_5.i.i311 = icmp ult i64 %iter12.sroa.4.0539, 20
  %_0.i.i312 = getelementptr inbounds double, ptr %fq, i64 %iter12.sroa.4.0539
  %_341 = load double, ptr %_0.i.i312, align 8
  %50 = fadd double %fw.sroa.0.2540, %_341
  br i1 %_0.i3.i.i.i304, label %bb173, label %bb2.i.i.i303
bb173:
  %51 = icmp eq i32 %ih.sroa.0.0402, 0
  %52 = fneg double %50
  %fw.sroa.0.3 = select i1 %51, double %50, double %52
  store double %fw.sroa.0.3, ptr %y.0, align 8
  br label %bb248
bb2.i.i.i320:
  %fw.sroa.0.4534 = phi double [ %53, %bb2.i.i.i320 ], [ 0.000000e+00, %bb154 ]
  %iter13.sroa.4.0533 = phi i64 [ %spec.select487563, %bb2.i.i.i320 ], [ %jz.sroa.0.1, %bb154 ]
  %_0.i3.i.i.i321 = icmp eq i64 %iter13.sroa.4.0533, 0
  %spec.select487563 = add nsw i64 %iter13.sroa.4.0533, -1
  %_5.i.i328 = icmp ult i64 %iter13.sroa.4.0533, 20
  %_0.i.i329 = getelementptr inbounds double, ptr %fq, i64 %iter13.sroa.4.0533
  %_356 = load double, ptr %_0.i.i329, align 8
  %53 = fadd double %fw.sroa.0.4534, %_356
  br i1 %_0.i3.i.i.i321, label %bb185, label %bb2.i.i.i320
bb185:
  %54 = icmp eq i32 %ih.sroa.0.0402, 0
  %55 = fneg double %53
  %_360.sroa.0.0 = select i1 %54, double %53, double %55
  store double %_360.sroa.0.0, ptr %y.0, align 8
  %_364 = load double, ptr %fq, align 8
  %56 = fsub double %_364, %53
  %_0.i.not.i.i337535 = icmp eq i64 %jz.sroa.0.1, 0
  br i1 %_0.i.not.i.i337535, label %bb197, label %bb2.i.i338
bb2.i.i338:
  %fw.sroa.0.5537 = phi double [ %57, %bb2.i.i338 ], [ %56, %bb185 ]
  %iter14.sroa.0.0536 = phi i64 [ %spec.select489, %bb2.i.i338 ], [ 1, %bb185 ]
  %_0.i3.i.i339 = icmp uge i64 %iter14.sroa.0.0536, %jz.sroa.0.1
  %not._0.i3.i.i339 = xor i1 %_0.i3.i.i339, true
  %_0.i4.i.i344 = zext i1 %not._0.i3.i.i339 to i64
  %spec.select489 = add nuw nsw i64 %iter14.sroa.0.0536, %_0.i4.i.i344
  %_5.i.i346 = icmp ult i64 %iter14.sroa.0.0536, 20
  %_0.i.i347 = getelementptr inbounds double, ptr %fq, i64 %iter14.sroa.0.0536
  %_376 = load double, ptr %_0.i.i347, align 8
  %57 = fadd double %fw.sroa.0.5537, %_376
  %_0.i.not.i.i337 = icmp ugt i64 %spec.select489, %jz.sroa.0.1
  %or.cond499 = select i1 %_0.i3.i.i339, i1 true, i1 %_0.i.not.i.i337
  br i1 %or.cond499, label %bb197, label %bb2.i.i338
bb197:
  %fw.sroa.0.5.lcssa = phi double [ %56, %bb185 ], [ %57, %bb2.i.i338 ]
  %58 = fneg double %fw.sroa.0.5.lcssa
  %fw.sroa.0.6 = select i1 %54, double %fw.sroa.0.5.lcssa, double %58
  %_0.i.i348 = getelementptr inbounds i8, ptr %y.0, i64 8
  store double %fw.sroa.0.6, ptr %_0.i.i348, align 8
  br label %bb248
bb162:
  %_0.i3.i.i.i290 = icmp eq i64 %iter10.sroa.4.0532, 0
  %iter10.sroa.4.1561 = add nsw i64 %iter10.sroa.4.0532, -1
  %_0.i.i349 = getelementptr inbounds double, ptr %fq, i64 %_315.fr
  store double %59, ptr %_0.i.i349, align 8
  br i1 %_0.i3.i.i.i290, label %bb154, label %bb2.i.i.i289
bb157:
  %k11.sroa.0.0531 = phi i64 [ 0, %bb2.i.i.i289 ], [ %60, %bb157 ]
  %fw.sroa.0.8530 = phi double [ 0.000000e+00, %bb2.i.i.i289 ], [ %59, %bb157 ]
  %_5.i.i350 = icmp ult i64 %k11.sroa.0.0531, 8
  %_0.i.i351 = getelementptr inbounds double, ptr @w.lib.15, i64 %k11.sroa.0.0531
  %_318 = load double, ptr %_0.i.i351, align 8
  %_326 = add nuw nsw i64 %k11.sroa.0.0531, %iter10.sroa.4.0532
  %_5.i.i352 = icmp ult i64 %_326, 20
  %_0.i.i353 = getelementptr inbounds double, ptr %q, i64 %_326
  %_322 = load double, ptr %_0.i.i353, align 8
  %_317 = fmul double %_318, %_322
  %59 = fadd double %fw.sroa.0.8530, %_317
  %60 = add nuw nsw i64 %k11.sroa.0.0531, 1
  %exitcond555.not = icmp eq i64 %k11.sroa.0.0531, %invariant.umin
  br i1 %exitcond555.not, label %bb162, label %bb157
bb67:
  %61 = icmp eq i32 %j37, 0
  br i1 %61, label %bb73, label %bb73.sink.split
bb73.sink.split:
  %.sink581 = phi i32 [ 16777215, %bb64 ], [ 16777216, %bb67 ]
  %62 = sub i32 %.sink581, %j37
  store i32 %62, ptr %_0.i.i183, align 4
  br label %bb73
bb73:
  %63 = phi i1 [ true, %bb67 ], [ false, %bb73.sink.split ]
  %carry.sroa.0.1 = phi i32 [ 0, %bb67 ], [ 1, %bb73.sink.split ]
  %exitcond.not = icmp eq i64 %_0.i1.i.i, %jz.sroa.0.0
  br i1 %exitcond.not, label %bb65, label %bb64
bb2.i.i362:
  %fw.sroa.0.9510 = phi double [ 0.000000e+00, %bb2.i.i159 ], [ %64, %bb2.i.i362 ]
  %iter2.sroa.0.0509 = phi i64 [ 0, %bb2.i.i159 ], [ %spec.select491, %bb2.i.i362 ]
  %_0.i3.i.i363 = icmp uge i64 %iter2.sroa.0.0509, %jx
  %not._0.i3.i.i363 = xor i1 %_0.i3.i.i363, true
  %_0.i4.i.i368 = zext i1 %not._0.i3.i.i363 to i64
  %spec.select491 = add nuw i64 %iter2.sroa.0.0509, %_0.i4.i.i368
  %_5.i.i370 = icmp ult i64 %iter2.sroa.0.0509, %x.1
  %_0.i.i371 = getelementptr inbounds double, ptr %x.0, i64 %iter2.sroa.0.0509
  %_64 = load double, ptr %_0.i.i371, align 8
  %_70 = sub i64 %_71, %iter2.sroa.0.0509
  %_5.i.i372 = icmp ult i64 %_70, 20
  %_0.i.i373 = getelementptr inbounds double, ptr %f, i64 %_70
  %_66 = load double, ptr %_0.i.i373, align 8
  %_63 = fmul double %_64, %_66
  %64 = fadd double %fw.sroa.0.9510, %_63
  %_0.i.not.i.i361 = icmp ugt i64 %spec.select491, %jx
  %or.cond500 = select i1 %_0.i3.i.i363, i1 true, i1 %_0.i.not.i.i361
  br i1 %or.cond500, label %bb30, label %bb2.i.i362
bb30:
  %_0.i3.i.i160 = icmp uge i64 %iter1.sroa.0.0511, %jk
  %not._0.i3.i.i160 = xor i1 %_0.i3.i.i160, true
  %_0.i4.i.i165 = zext i1 %not._0.i3.i.i160 to i64
  %spec.select474 = add nuw i64 %iter1.sroa.0.0511, %_0.i4.i.i165
  %_0.i.i374 = getelementptr inbounds double, ptr %q, i64 %iter1.sroa.0.0511
  store double %64, ptr %_0.i.i374, align 8
  %_0.i.not.i.i158 = icmp ugt i64 %spec.select474, %jk
  %or.cond494 = select i1 %_0.i3.i.i160, i1 true, i1 %_0.i.not.i.i158
  br i1 %or.cond494, label %bb34.preheader, label %bb2.i.i159
bb15:
  %_44 = zext nneg i32 %j.sroa.0.0508 to i64
  %_5.i.i375 = icmp ult i32 %j.sroa.0.0508, 690
  %_0.i.i376 = getelementptr inbounds i32, ptr @w.lib.14, i64 %_44
  %_41 = load i32, ptr %_0.i.i376, align 4
  %65 = sitofp i32 %_41 to double
  br label %bb17
bb17:
  %_38.sroa.0.0 = phi double [ %65, %bb15 ], [ 0.000000e+00, %bb2.i.i ]
  %_0.i.i377 = getelementptr inbounds double, ptr %f, i64 %iter.sroa.0.0507
  store double %_38.sroa.0.0, ptr %_0.i.i377, align 8
  %66 = add nsw i32 %j.sroa.0.0508, 1
  %_0.i.not.i.i = icmp ugt i64 %spec.select472, %m
  %or.cond493 = select i1 %_0.i3.i.i, i1 true, i1 %_0.i.not.i.i
  br i1 %or.cond493, label %bb2.i.i159, label %bb2.i.i
}
define internal double @w.lib.346(double %x) nounwind {
start:
  %_13 = alloca [24 x i8], align 8
  %_0.i = bitcast double %x to i64
  %_4 = lshr i64 %_0.i, 32
  %_3 = trunc nuw i64 %_4 to i32
  %ix = and i32 %_3, 2147483647
  %_6 = icmp ult i32 %ix, 1072243196
  br i1 %_6, label %bb2, label %bb7
bb7:
  %_9 = icmp ugt i32 %ix, 2146435071
  br i1 %_9, label %bb8, label %bb9
bb2:
  %_7 = icmp ult i32 %ix, 1044816030
  %_8 = call i32 @llvm.fptosi.sat.i32.f64(double %x)
  %0 = icmp eq i32 %_8, 0
  %or.cond = and i1 %0, %_7
  br i1 %or.cond, label %bb19, label %bb6
bb9:
  call void @w.lib.352(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_13, double %x)
  %1 = getelementptr inbounds i8, ptr %_13, i64 8
  %n = load i32, ptr %1, align 8
  %y0 = load double, ptr %_13, align 8
  %2 = getelementptr inbounds i8, ptr %_13, i64 16
  %y1 = load double, ptr %2, align 8
  %_14 = and i32 %n, 3
  switch i32 %_14, label %default.unreachable19 [
    i32 0, label %bb14
    i32 1, label %bb13
    i32 2, label %bb12
    i32 3, label %bb11
  ]
bb8:
  %3 = fsub double %x, %x
  br label %bb19
default.unreachable19:
  unreachable
bb11:
  %z.i = fmul double %y0, %y0
  %w.i = fmul double %z.i, %z.i
  %_10.i = fmul double %z.i, 0x3EC71DE357B1FE7D
  %_9.i = fadd double %_10.i, 0xBF2A01A019C161D5
  %_8.i = fmul double %z.i, %_9.i
  %_7.i = fadd double %_8.i, 0x3F8111111110F8A6
  %_12.i = fmul double %z.i, %w.i
  %_14.i = fmul double %z.i, 0x3DE5D93A5ACFD57C
  %_13.i = fadd double %_14.i, 0xBE5AE5E68A2B9CEB
  %_11.i = fmul double %_12.i, %_13.i
  %r.i = fadd double %_11.i, %_7.i
  %v.i = fmul double %y0, %z.i
  %_23.i = fmul double %y1, 5.000000e-01
  %_24.i = fmul double %v.i, %r.i
  %_22.i = fsub double %_23.i, %_24.i
  %_21.i = fmul double %z.i, %_22.i
  %_20.i = fsub double %_21.i, %y1
  %_25.i = fmul double %v.i, 0x3FC5555555555549
  %4 = fadd double %_25.i, %_20.i
  %5 = fsub double %y0, %4
  br label %bb19
bb14:
  %6 = call double @w.lib.353(double %y0, double %y1)
  br label %bb19
bb13:
  %z.i1 = fmul double %y0, %y0
  %w.i2 = fmul double %z.i1, %z.i1
  %_10.i3 = fmul double %z.i1, 0x3EC71DE357B1FE7D
  %_9.i4 = fadd double %_10.i3, 0xBF2A01A019C161D5
  %_8.i5 = fmul double %z.i1, %_9.i4
  %_7.i6 = fadd double %_8.i5, 0x3F8111111110F8A6
  %_12.i7 = fmul double %z.i1, %w.i2
  %_14.i8 = fmul double %z.i1, 0x3DE5D93A5ACFD57C
  %_13.i9 = fadd double %_14.i8, 0xBE5AE5E68A2B9CEB
  %_11.i10 = fmul double %_12.i7, %_13.i9
  %r.i11 = fadd double %_11.i10, %_7.i6
  %v.i12 = fmul double %y0, %z.i1
  %_23.i13 = fmul double %y1, 5.000000e-01
  %_24.i14 = fmul double %v.i12, %r.i11
  %_22.i15 = fsub double %_23.i13, %_24.i14
  %_21.i16 = fmul double %z.i1, %_22.i15
  %_20.i17 = fsub double %_21.i16, %y1
  %_25.i18 = fmul double %v.i12, 0x3FC5555555555549
  %7 = fadd double %_25.i18, %_20.i17
  %8 = fsub double %y0, %7
  %9 = fneg double %8
  br label %bb19
bb12:
  %_16 = call double @w.lib.353(double %y0, double %y1)
  %10 = fneg double %_16
  br label %bb19
bb19:
  %_0.sroa.0.0 = phi double [ %5, %bb11 ], [ %11, %bb6 ], [ %3, %bb8 ], [ %6, %bb14 ], [ %9, %bb13 ], [ %10, %bb12 ], [ 1.000000e+00, %bb2 ]
  ret double %_0.sroa.0.0
bb6:
  %11 = call double @w.lib.353(double %x, double 0.000000e+00)
  br label %bb19
}
define internal double @w.lib.326(double %x) nounwind {
start:
  %_0.i.i = bitcast double %x to i64
  %_2.i = lshr i64 %_0.i.i, 32
  %_0.i = trunc nuw i64 %_2.i to i32
  %0 = and i32 %_0.i, 2147483647
  %_10 = icmp ugt i32 %0, 2146435071
  br i1 %_10, label %bb2, label %bb3
bb3:
  %_16 = icmp ult i32 %0, 1072365568
  br i1 %_16, label %bb4, label %bb5
bb2:
  %1 = lshr i32 %_0.i, 30
  %2 = and i32 %1, 2
  %_13 = uitofp nneg i32 %2 to double
  %_12 = fsub double 1.000000e+00, %_13
  %_15 = fdiv double 1.000000e+00, %x
  %3 = fadd double %_15, %_12
  br label %bb18
bb5:
  %_39 = icmp ult i32 %0, 1075314688
  br i1 %_39, label %bb8, label %bb12
bb4:
  %_18 = icmp ult i32 %0, 1043333120
  br i1 %_18, label %bb6, label %bb7
bb8:
  %_41 = call double @w.lib.354(i32 %0, double %x)
  br label %bb12
bb12:
  %_41.pn = phi double [ %_41, %bb8 ], [ 0x10000000000000, %bb5 ]
  %y.sroa.0.0 = fsub double 1.000000e+00, %_41.pn
  %4 = icmp sgt i64 %_0.i.i, -1
  br i1 %4, label %bb18, label %bb13
bb13:
  %5 = fneg double %y.sroa.0.0
  br label %bb18
bb18:
  %_0.sroa.0.0 = phi double [ %3, %bb2 ], [ %10, %bb6 ], [ %9, %bb7 ], [ %5, %bb13 ], [ %y.sroa.0.0, %bb12 ]
  ret double %_0.sroa.0.0
bb7:
  %z = fmul double %x, %x
  %_28 = fmul double %z, 0x3EF8EAD6120016AC
  %6 = fsub double 0xBF77A291236668E4, %_28
  %_26 = fmul double %z, %6
  %_25 = fadd double %_26, 0xBF9D2A51DBD7194F
  %_24 = fmul double %z, %_25
  %_23 = fadd double %_24, 0xBFD4CD7D691CB913
  %_22 = fmul double %z, %_23
  %r = fadd double %_22, 0x3FC06EBA8214DB68
  %_37 = fmul double %z, 0x3ED09C4342A26120
  %7 = fsub double 0x3F215DC9221C1A10, %_37
  %_35 = fmul double %z, %7
  %_34 = fadd double %_35, 0x3F74D022C4D36B0F
  %_33 = fmul double %z, %_34
  %_32 = fadd double %_33, 0x3FB0A54C5536CEBA
  %_31 = fmul double %z, %_32
  %_30 = fadd double %_31, 0x3FD97779CDDADC09
  %_29 = fmul double %z, %_30
  %s = fadd double %_29, 1.000000e+00
  %8 = fdiv double %r, %s
  %_38 = fmul double %x, %8
  %9 = fadd double %x, %_38
  br label %bb18
bb6:
  %_20 = fmul double %x, 8.000000e+00
  %_21 = fmul double %x, 0x3FF06EBA8214DB69
  %_19 = fadd double %_20, %_21
  %10 = fmul double %_19, 1.250000e-01
  br label %bb18
}
define internal double @w.lib.322(double %x) nounwind {
start:
  %_0.i.i = bitcast double %x to i64
  %_2.i = lshr i64 %_0.i.i, 32
  %_0.i = trunc nuw i64 %_2.i to i32
  %0 = and i32 %_0.i, 2147483647
  %_10 = icmp ugt i32 %0, 2146435071
  br i1 %_10, label %bb2, label %bb3
bb3:
  %_15 = icmp ult i32 %0, 1072365568
  br i1 %_15, label %bb4, label %bb5
bb2:
  %1 = lshr i32 %_0.i, 30
  %2 = and i32 %1, 2
  %_12 = uitofp nneg i32 %2 to double
  %_14 = fdiv double 1.000000e+00, %x
  %3 = fadd double %_14, %_12
  br label %bb25
bb5:
  %_41 = icmp ult i32 %0, 1077673984
  %4 = icmp sgt i64 %_0.i.i, -1
  br i1 %_41, label %bb12, label %bb13
bb4:
  %_17 = icmp ult i32 %0, 1013972992
  br i1 %_17, label %bb6, label %bb7
bb13:
  br i1 %4, label %bb25, label %bb19
bb12:
  %5 = call double @w.lib.354(i32 %0, double %x)
  br i1 %4, label %bb25, label %bb14
bb19:
  br label %bb25
bb25:
  %_0.sroa.0.0 = phi double [ %3, %bb2 ], [ %10, %bb6 ], [ %11, %bb11 ], [ %12, %bb10 ], [ 0.000000e+00, %bb13 ], [ %6, %bb14 ], [ 2.000000e+00, %bb19 ], [ %5, %bb12 ]
  ret double %_0.sroa.0.0
bb14:
  %6 = fsub double 2.000000e+00, %5
  br label %bb25
bb7:
  %z = fmul double %x, %x
  %_25 = fmul double %z, 0x3EF8EAD6120016AC
  %7 = fsub double 0xBF77A291236668E4, %_25
  %_23 = fmul double %z, %7
  %_22 = fadd double %_23, 0xBF9D2A51DBD7194F
  %_21 = fmul double %z, %_22
  %_20 = fadd double %_21, 0xBFD4CD7D691CB913
  %_19 = fmul double %z, %_20
  %r = fadd double %_19, 0x3FC06EBA8214DB68
  %_34 = fmul double %z, 0x3ED09C4342A26120
  %8 = fsub double 0x3F215DC9221C1A10, %_34
  %_32 = fmul double %z, %8
  %_31 = fadd double %_32, 0x3F74D022C4D36B0F
  %_30 = fmul double %z, %_31
  %_29 = fadd double %_30, 0x3FB0A54C5536CEBA
  %_28 = fmul double %z, %_29
  %_27 = fadd double %_28, 0x3FD97779CDDADC09
  %_26 = fmul double %z, %_27
  %s = fadd double %_26, 1.000000e+00
  %y = fdiv double %r, %s
  %9 = icmp slt i64 %_0.i.i, 0
  %_35 = icmp ult i32 %0, 1070596096
  %or.cond = select i1 %9, i1 true, i1 %_35
  br i1 %or.cond, label %bb11, label %bb10
bb6:
  %10 = fsub double 1.000000e+00, %x
  br label %bb25
bb11:
  %_37 = fmul double %x, %y
  %_36 = fadd double %x, %_37
  %11 = fsub double 1.000000e+00, %_36
  br label %bb25
bb10:
  %_39 = fadd double %x, -5.000000e-01
  %_40 = fmul double %x, %y
  %_38 = fadd double %_39, %_40
  %12 = fsub double 5.000000e-01, %_38
  br label %bb25
}
define internal double @w.lib.354(i32 %ix, double %0) nounwind {
start:
  %_6 = icmp ult i32 %ix, 1072955392
  %1 = call double @llvm.fabs.f64(double %0)
  br i1 %_6, label %bb1, label %bb3
bb3:
  %_8 = fmul double %0, %0
  %s = fdiv double 1.000000e+00, %_8
  %_11 = icmp ult i32 %ix, 1074191213
  br i1 %_11, label %bb5, label %bb6
bb1:
  %s.i = fadd double %1, -1.000000e+00
  %_16.i = fmul double %s.i, 0x3F61BF380A96073F
  %2 = fsub double 0x3FA22A36599795EB, %_16.i
  %_14.i = fmul double %s.i, %2
  %_13.i = fadd double %_14.i, 0xBFBC63983D3E28EC
  %_12.i = fmul double %s.i, %_13.i
  %_11.i = fadd double %_12.i, 0x3FD45FCA805120E4
  %_10.i = fmul double %s.i, %_11.i
  %_9.i = fadd double %_10.i, 0xBFD7D240FBB8C3F1
  %_8.i = fmul double %s.i, %_9.i
  %_7.i = fadd double %_8.i, 0x3FDA8D00AD92B34D
  %_6.i = fmul double %s.i, %_7.i
  %p.i = fadd double %_6.i, 0xBF6359B8BEF77538
  %_27.i = fmul double %s.i, 0x3F888B545735151D
  %_26.i = fadd double %_27.i, 0x3F8BEDC26B51DD1C
  %_25.i = fmul double %s.i, %_26.i
  %_24.i = fadd double %_25.i, 0x3FC02660E763351F
  %_23.i = fmul double %s.i, %_24.i
  %_22.i = fadd double %_23.i, 0x3FB2635CD99FE9A7
  %_21.i = fmul double %s.i, %_22.i
  %_20.i = fadd double %_21.i, 0x3FE14AF092EB6F33
  %_19.i = fmul double %s.i, %_20.i
  %_18.i = fadd double %_19.i, 0x3FBB3E6618EEE323
  %_17.i = fmul double %s.i, %_18.i
  %q.i = fadd double %_17.i, 1.000000e+00
  %_28.i = fdiv double %p.i, %q.i
  %_0.i = fsub double 0x3FC3D4FA80000000, %_28.i
  br label %bb11
bb6:
  %_50 = fmul double %s, 0x407E384E9BDC383F
  %3 = fsub double 0xC09004616A2E5992, %_50
  %_48 = fmul double %s, %3
  %_47 = fadd double %_48, 0xC083EC881375F228
  %_46 = fmul double %s, %_47
  %_45 = fadd double %_46, 0xC064145D43C5ED98
  %_44 = fmul double %s, %_45
  %_43 = fadd double %_44, 0xC031C209555F995A
  %_42 = fmul double %s, %_43
  %_41 = fadd double %_42, 0xBFE993BA70C285DE
  %_40 = fmul double %s, %_41
  %4 = fadd double %_40, 0xBF84341239E86F4A
  %_63 = fmul double %s, 0x403670E242712D62
  %5 = fsub double 0x407DA874E79FE763, %_63
  br label %bb7
bb5:
  %_24 = fmul double %s, 0x4023A0EFC69AC25C
  %6 = fsub double 0xC054526557E4D2F2, %_24
  %_22 = fmul double %s, %6
  %_21 = fadd double %_22, 0xC067135CEBCCABB2
  %_20 = fmul double %s, %_21
  %_19 = fadd double %_20, 0xC0644CB184282266
  %_18 = fmul double %s, %_19
  %_17 = fadd double %_18, 0xC04F300AE4CBA38D
  %_16 = fmul double %s, %_17
  %_15 = fadd double %_16, 0xC0251E0441B0E726
  %_14 = fmul double %s, %_15
  %_13 = fadd double %_14, 0xBFE63416E4BA7360
  %_12 = fmul double %s, %_13
  %7 = fadd double %_12, 0xBF843412600D6435
  %_39 = fmul double %s, 0x3FAEEFF2EE749A62
  %8 = fsub double 0x401A47EF8E484A93, %_39
  %_37 = fmul double %s, %8
  %_36 = fadd double %_37, 0x405B28A3EE48AE2C
  br label %bb7
bb7:
  %_36.sink = phi double [ %_36, %bb5 ], [ %5, %bb6 ]
  %.sink6 = phi double [ 0x407AD02157700314, %bb5 ], [ 0x40A3F219CEDF3BE6, %bb6 ]
  %.sink5 = phi double [ 0x40842B1921EC2868, %bb5 ], [ 0x40A8FFB7688C246A, %bb6 ]
  %.sink4 = phi double [ 0x407B290DD58A1A71, %bb5 ], [ 0x409802EB189D5118, %bb6 ]
  %.sink3 = phi double [ 0x4061350C526AE721, %bb5 ], [ 0x40745CAE221B9F0A, %bb6 ]
  %.sink = phi double [ 0x4033A6B9BD707687, %bb5 ], [ 0x403E568B261D5190, %bb6 ]
  %r.sroa.0.0 = phi double [ %7, %bb5 ], [ %4, %bb6 ]
  %_35 = fmul double %s, %_36.sink
  %_34 = fadd double %_35, %.sink6
  %_33 = fmul double %s, %_34
  %_32 = fadd double %_33, %.sink5
  %_31 = fmul double %s, %_32
  %_30 = fadd double %_31, %.sink4
  %_29 = fmul double %s, %_30
  %_28 = fadd double %_29, %.sink3
  %_27 = fmul double %s, %_28
  %_26 = fadd double %_27, %.sink
  %big_s.sroa.0.0.in = fmul double %s, %_26
  %big_s.sroa.0.0 = fadd double %big_s.sroa.0.0.in, 1.000000e+00
  %_0.i.i = bitcast double %1 to i64
  %9 = and i64 %_0.i.i, 9223372032559808512
  %_0.i3.i = bitcast i64 %9 to double
  %10 = fmul double %_0.i3.i, %_0.i3.i
  %_68 = fsub double -5.625000e-01, %10
  %_67 = call double @w.lib.323(double %_68)
  %_74 = fsub double %_0.i3.i, %1
  %_76 = fadd double %1, %_0.i3.i
  %_73 = fmul double %_74, %_76
  %_78 = fdiv double %r.sroa.0.0, %big_s.sroa.0.0
  %_72 = fadd double %_73, %_78
  %_71 = call double @w.lib.323(double %_72)
  %_66 = fmul double %_67, %_71
  %11 = fdiv double %_66, %1
  br label %bb11
bb11:
  %_0.sroa.0.0 = phi double [ %_0.i, %bb1 ], [ %11, %bb7 ]
  ret double %_0.sroa.0.0
}
define internal double @w.lib.323(double %0) nounwind {
start:
  %_54.sroa.0 = alloca double, align 8
  %_26.sroa.0 = alloca float, align 4
  %_0.i = bitcast double %0 to i64
  %_11 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_11 to i32
  %_14 = lshr i32 %1, 31
  %2 = and i32 %1, 2147483647
  %_16 = icmp ugt i32 %2, 1082532650
  br i1 %_16, label %bb4, label %bb17
bb4:
  %_0.i17 = fcmp uno double %0, 0.000000e+00
  br i1 %_0.i17, label %bb34, label %bb7
bb17:
  %_32 = icmp ugt i32 %2, 1071001154
  br i1 %_32, label %bb18, label %bb23
bb7:
  %_20 = fcmp ogt double %0, 0x40862E42FEFA39EF
  br i1 %_20, label %bb8, label %bb9
bb9:
  %_22 = fcmp olt double %0, 0xC086232BDD7ABCD2
  br i1 %_22, label %bb10, label %bb19
bb8:
  %3 = fmul double %0, 0x7FE0000000000000
  br label %bb34
bb10:
  %_27 = fdiv double 0xB6A0000000000000, %0
  %4 = fptrunc double %_27 to float
  store float %4, ptr %_26.sroa.0, align 4
  %_26.sroa.0.0._26.sroa.0.0._26.sroa.0.0._26.sroa.0.0. = load volatile float, ptr %_26.sroa.0, align 4
  %_30 = fcmp olt double %0, 0xC0874910D52D3051
  br i1 %_30, label %bb34, label %bb19
bb23:
  %_50 = icmp ugt i32 %2, 1043333120
  br i1 %_50, label %bb27, label %bb25
bb18:
  %_34 = icmp ugt i32 %2, 1072734897
  br i1 %_34, label %bb19, label %bb21
bb25:
  %5 = fadd double %0, 0x7FE0000000000000
  store double %5, ptr %_54.sroa.0, align 8
  %_54.sroa.0.0._54.sroa.0.0._54.sroa.0.0._54.sroa.0.0. = load volatile double, ptr %_54.sroa.0, align 8
  %6 = fadd double %0, 1.000000e+00
  br label %bb34
bb27:
  %hi.sroa.0.0 = phi double [ %10, %bb22 ], [ %0, %bb23 ]
  %k.sroa.0.0 = phi i32 [ %k.sroa.0.1, %bb22 ], [ 0, %bb23 ]
  %lo.sroa.0.0 = phi double [ %11, %bb22 ], [ 0.000000e+00, %bb23 ]
  %x.sroa.0.0 = phi double [ %12, %bb22 ], [ %0, %bb23 ]
  %xx = fmul double %x.sroa.0.0, %x.sroa.0.0
  %_67 = fmul double %xx, 0x3E66376972BEA4D0
  %_66 = fadd double %_67, 0xBEBBBD41C5D26BF1
  %_65 = fmul double %xx, %_66
  %_64 = fadd double %_65, 0x3F11566AAF25DE2C
  %_63 = fmul double %xx, %_64
  %_62 = fadd double %_63, 0xBF66C16C16BEBD93
  %_61 = fmul double %xx, %_62
  %_60 = fadd double %_61, 0x3FC555555555553E
  %_59 = fmul double %xx, %_60
  %c = fsub double %x.sroa.0.0, %_59
  %_71 = fmul double %x.sroa.0.0, %c
  %_72 = fsub double 2.000000e+00, %c
  %_70 = fdiv double %_71, %_72
  %_69 = fsub double %_70, %lo.sroa.0.0
  %_68 = fadd double %hi.sroa.0.0, %_69
  %y = fadd double %_68, 1.000000e+00
  %7 = icmp eq i32 %k.sroa.0.0, 0
  br i1 %7, label %bb34, label %bb29
bb21:
  %_42 = xor i32 %_14, 1
  %8 = sub nsw i32 %_42, %_14
  br label %bb22
bb19:
  %_36 = fmul double %0, 0x3FF71547652B82FE
  %_41 = zext nneg i32 %_14 to i64
  %_0.i.i = getelementptr inbounds double, ptr @w.lib.48, i64 %_41
  %_38 = load double, ptr %_0.i.i, align 8
  %_35 = fadd double %_36, %_38
  %9 = call i32 @llvm.fptosi.sat.i32.f64(double %_35)
  br label %bb22
bb22:
  %k.sroa.0.1 = phi i32 [ %9, %bb19 ], [ %8, %bb21 ]
  %_44 = sitofp i32 %k.sroa.0.1 to double
  %_43 = fmul double %_44, 0x3FE62E42FEE00000
  %10 = fsub double %0, %_43
  %11 = fmul double %_44, 0x3DEA39EF35793C76
  %12 = fsub double %10, %11
  br label %bb27
bb29:
  %13 = call double @w.lib.332(double %y, i32 %k.sroa.0.0)
  br label %bb34
bb34:
  %_0.sroa.0.0 = phi double [ %6, %bb25 ], [ %3, %bb8 ], [ %0, %bb4 ], [ 0.000000e+00, %bb10 ], [ %13, %bb29 ], [ %y, %bb27 ]
  ret double %_0.sroa.0.0
}
define internal double @w.lib.321(double %0) nounwind {
start:
  %_0.i = bitcast double %0 to i64
  %_5 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_5 to i32
  %2 = icmp sgt i64 %_0.i, -1
  %or.cond = icmp sgt i64 %_0.i, 4503599627370495
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_21 = icmp ugt i64 %_0.i, 9218868437227405311
  br i1 %_21, label %bb24, label %bb14
bb14:
  %3 = icmp eq i64 %_5, 1072693248
  br i1 %3, label %bb15, label %bb20
bb15:
  %_24.mask = and i64 %_0.i, 4294967295
  %4 = icmp eq i64 %_24.mask, 0
  br i1 %4, label %bb24, label %bb20
bb20:
  %ui.sroa.0.0 = phi i64 [ %_0.i22, %bb10 ], [ %_0.i, %bb15 ], [ %_0.i, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -1077, %bb10 ], [ -1023, %bb15 ], [ -1023, %bb14 ]
  %hx.sroa.0.0 = phi i32 [ %13, %bb10 ], [ 1072693248, %bb15 ], [ %1, %bb14 ]
  %5 = add i32 %hx.sroa.0.0, 614242
  %_28 = lshr i32 %5, 20
  %6 = add nsw i32 %k.sroa.0.0, %_28
  %_30 = and i32 %5, 1048575
  %7 = add nuw nsw i32 %_30, 1072079006
  %_32 = zext nneg i32 %7 to i64
  %_31 = shl nuw nsw i64 %_32, 32
  %_33 = and i64 %ui.sroa.0.0, 4294967295
  %8 = or disjoint i64 %_31, %_33
  %_0.i21 = bitcast i64 %8 to double
  %f = fadd double %_0.i21, -1.000000e+00
  %_36 = fmul double %f, 5.000000e-01
  %hfsq = fmul double %f, %_36
  %_38 = fadd double %f, 2.000000e+00
  %s = fdiv double %f, %_38
  %z = fmul double %s, %s
  %w = fmul double %z, %z
  %_45 = fmul double %w, 0x3FC39A09D078C69F
  %_44 = fadd double %_45, 0x3FCC71C51D8E78AF
  %_43 = fmul double %w, %_44
  %_42 = fadd double %_43, 0x3FD999999997FA04
  %t1 = fmul double %w, %_42
  %_52 = fmul double %w, 0x3FC2F112DF3E5244
  %_51 = fadd double %_52, 0x3FC7466496CB03DE
  %_50 = fmul double %w, %_51
  %_49 = fadd double %_50, 0x3FD2492494229359
  %_48 = fmul double %w, %_49
  %_47 = fadd double %_48, 0x3FE5555555555593
  %t2 = fmul double %z, %_47
  %r = fadd double %t1, %t2
  %dk = sitofp i32 %6 to double
  %_59 = fadd double %hfsq, %r
  %_58 = fmul double %s, %_59
  %_60 = fmul double %dk, 0x3DEA39EF35793C76
  %_57 = fadd double %_60, %_58
  %_56 = fsub double %_57, %hfsq
  %_55 = fadd double %f, %_56
  %_61 = fmul double %dk, 0x3FE62E42FEE00000
  %9 = fadd double %_61, %_55
  br label %bb24
bb6:
  %10 = fcmp oeq double %0, 0.000000e+00
  br i1 %10, label %bb7, label %bb8
bb7:
  %_13 = fmul double %0, %0
  %11 = fdiv double -1.000000e+00, %_13
  br label %bb24
bb8:
  br i1 %2, label %bb10, label %bb9
bb10:
  %12 = fmul double %0, 0x4350000000000000
  %_0.i22 = bitcast double %12 to i64
  %_19 = lshr i64 %_0.i22, 32
  %13 = trunc nuw i64 %_19 to i32
  br label %bb20
bb9:
  %_16 = fsub double %0, %0
  %14 = fdiv double %_16, 0.000000e+00
  br label %bb24
bb24:
  %_0.sroa.0.0 = phi double [ %11, %bb7 ], [ %9, %bb20 ], [ %14, %bb9 ], [ %0, %bb12 ], [ 0.000000e+00, %bb15 ]
  ret double %_0.sroa.0.0
}
define internal double @w.lib.368(double %x, double %y) nounwind {
start:
  %_0.i = bitcast double %x to i64
  %_5 = lshr i64 %_0.i, 32
  %hx = trunc nuw i64 %_5 to i32
  %lx = trunc i64 %_0.i to i32
  %_0.i108 = bitcast double %y to i64
  %_10 = lshr i64 %_0.i108, 32
  %hy = trunc nuw i64 %_10 to i32
  %ly = trunc i64 %_0.i108 to i32
  %0 = and i32 %hx, 2147483647
  %iy = and i32 %hy, 2147483647
  %_16 = or i32 %iy, %ly
  %1 = icmp eq i32 %_16, 0
  br i1 %1, label %bb179, label %bb6
bb6:
  %2 = icmp eq i64 %_5, 1072693248
  %3 = icmp eq i32 %lx, 0
  %or.cond = and i1 %2, %3
  br i1 %or.cond, label %bb179, label %bb9
bb9:
  %_18 = icmp ugt i32 %0, 2146435072
  br i1 %_18, label %bb17, label %bb11
bb11:
  %4 = icmp eq i32 %0, 2146435072
  br i1 %4, label %bb12, label %bb14
bb12:
  %5 = icmp ne i32 %lx, 0
  %_21 = icmp ugt i32 %iy, 2146435072
  %or.cond24 = or i1 %5, %_21
  br i1 %or.cond24, label %bb17, label %bb15
bb14:
  %_21.old = icmp ugt i32 %iy, 2146435072
  br i1 %_21.old, label %bb17, label %bb15
bb17:
  %6 = fadd double %x, %y
  br label %bb179
bb15:
  %7 = icmp ne i32 %iy, 2146435072
  %8 = icmp eq i32 %ly, 0
  %or.cond25 = or i1 %8, %7
  br i1 %or.cond25, label %bb18, label %bb17
bb18:
  %_26 = icmp slt i64 %_0.i, 0
  br i1 %_26, label %bb19, label %bb36
bb36:
  %yisint.sroa.0.0 = phi i32 [ 0, %bb18 ], [ %11, %bb24 ], [ 0, %bb23 ], [ 0, %bb21 ], [ 2, %bb19 ]
  br i1 %8, label %bb37, label %bb64
bb19:
  %_27 = icmp ugt i32 %iy, 1128267775
  br i1 %_27, label %bb36, label %bb21
bb21:
  %_28 = icmp ugt i32 %iy, 1072693247
  br i1 %_28, label %bb22, label %bb36
bb22:
  %_29 = lshr i32 %iy, 20
  %_30 = icmp ugt i32 %iy, 1094713343
  br i1 %_30, label %bb23, label %bb27
bb27:
  br i1 %8, label %bb28, label %bb64
bb23:
  %_33 = sub nuw nsw i32 1075, %_29
  %_32 = lshr i32 %ly, %_33
  %_36 = shl i32 %_32, %_33
  %_35 = icmp eq i32 %_36, %ly
  br i1 %_35, label %bb24, label %bb36
bb28:
  %_41 = sub nsw i32 1043, %_29
  %9 = lshr i32 %iy, %_41
  %_44 = shl i32 %9, %_41
  %_43 = icmp eq i32 %_44, %iy
  br i1 %_43, label %bb29, label %bb37
bb29:
  %_47 = and i32 %9, 1
  %10 = sub nuw nsw i32 2, %_47
  br label %bb37
bb24:
  %_40 = and i32 %_32, 1
  %11 = sub nuw nsw i32 2, %_40
  br label %bb36
bb37:
  %yisint.sroa.0.0148 = phi i32 [ %yisint.sroa.0.0, %bb36 ], [ 0, %bb28 ], [ %10, %bb29 ]
  switch i32 %iy, label %bb53 [
    i32 2146435072, label %bb38
    i32 1072693248, label %bb52
  ]
bb64:
  %yisint.sroa.0.1 = phi i32 [ %yisint.sroa.0.0148, %bb53 ], [ %yisint.sroa.0.0148, %bb59 ], [ %yisint.sroa.0.0, %bb36 ], [ 0, %bb27 ]
  %12 = call double @llvm.fabs.f64(double %x)
  br i1 %3, label %bb66, label %bb84
bb38:
  %_49 = add nsw i32 %0, -1072693248
  %_48 = or i32 %_49, %lx
  %13 = icmp eq i32 %_48, 0
  br i1 %13, label %bb179, label %bb40
bb52:
  %_55 = icmp sgt i64 %_0.i108, -1
  br i1 %_55, label %bb179, label %bb55
bb53:
  switch i32 %hy, label %bb64 [
    i32 1073741824, label %bb57
    i32 1071644672, label %bb59
  ]
bb55:
  %14 = fdiv double 1.000000e+00, %x
  br label %bb179
bb57:
  %15 = fmul double %x, %x
  br label %bb179
bb59:
  %_56 = icmp sgt i64 %_0.i, -1
  br i1 %_56, label %bb60, label %bb64
bb60:
  %16 = call double @llvm.sqrt.f64(double %x)
  br label %bb179
bb40:
  %_52 = icmp ugt i32 %0, 1072693247
  %_53 = icmp sgt i64 %_0.i108, -1
  br i1 %_52, label %bb41, label %bb45
bb45:
  br i1 %_53, label %bb179, label %bb47
bb41:
  %y. = select i1 %_53, double %y, double 0.000000e+00
  br label %bb179
bb47:
  %17 = fneg double %y
  br label %bb179
bb66:
  switch i32 %hx, label %bb84 [
    i32 -1048576, label %bb72
    i32 -1074790400, label %bb72
    i32 -2147483648, label %bb72
    i32 2146435072, label %bb72
    i32 1072693248, label %bb72
    i32 0, label %bb72
  ]
bb84:
  br i1 %_26, label %bb85, label %bb91
bb72:
  %_60 = icmp slt i64 %_0.i108, 0
  %18 = fdiv double 1.000000e+00, %12
  %ax.sroa.0.0 = select i1 %_60, double %18, double %12
  br i1 %_26, label %bb75, label %bb179
bb75:
  %_63 = add nsw i32 %0, -1072693248
  %_62 = or i32 %yisint.sroa.0.1, %_63
  %19 = icmp eq i32 %_62, 0
  br i1 %19, label %bb76, label %bb77
bb76:
  %_65 = fsub double %ax.sroa.0.0, %ax.sroa.0.0
  %20 = fdiv double %_65, %_65
  br label %bb179
bb77:
  %21 = icmp eq i32 %yisint.sroa.0.1, 1
  br i1 %21, label %bb78, label %bb179
bb78:
  %22 = fneg double %ax.sroa.0.0
  br label %bb179
bb91:
  %s.sroa.0.0 = phi double [ -1.000000e+00, %bb88 ], [ 1.000000e+00, %bb85 ], [ 1.000000e+00, %bb84 ]
  %_74 = icmp ugt i32 %iy, 1105199104
  br i1 %_74, label %bb92, label %bb116
bb85:
  switch i32 %yisint.sroa.0.1, label %bb91 [
    i32 0, label %bb86
    i32 1, label %bb88
  ]
bb86:
  %_73 = fsub double %x, %x
  %23 = fdiv double %_73, %_73
  br label %bb179
bb88:
  br label %bb91
bb116:
  %_106 = icmp ult i32 %0, 1048576
  %24 = fmul double %12, 0x4340000000000000
  %_0.i.i = bitcast double %24 to i64
  %_2.i = lshr i64 %_0.i.i, 32
  %_0.i110 = trunc nuw i64 %_2.i to i32
  %ix.sroa.0.0 = select i1 %_106, i32 %_0.i110, i32 %0
  %ax.sroa.0.1 = select i1 %_106, double %24, double %12
  %_111 = ashr i32 %ix.sroa.0.0, 20
  %_110 = select i1 %_106, i32 -1076, i32 -1023
  %25 = add nsw i32 %_110, %_111
  %26 = and i32 %ix.sroa.0.0, 1048575
  %27 = or disjoint i32 %26, 1072693248
  %_115 = icmp ult i32 %26, 235663
  br i1 %_115, label %bb126, label %bb122
bb92:
  %_75 = icmp ugt i32 %iy, 1139802112
  br i1 %_75, label %bb93, label %bb104
bb122:
  %_117 = icmp ult i32 %26, 767610
  br i1 %_117, label %bb126, label %bb124
bb124:
  %28 = add nsw i32 %25, 1
  %29 = or disjoint i32 %26, 1071644672
  br label %bb126
bb126:
  %k1.sroa.0.0 = phi i32 [ 0, %bb124 ], [ 0, %bb116 ], [ 1, %bb122 ]
  %n.sroa.0.1 = phi i32 [ %28, %bb124 ], [ %25, %bb116 ], [ %25, %bb122 ]
  %ix.sroa.0.1 = phi i32 [ %29, %bb124 ], [ %27, %bb116 ], [ %27, %bb122 ]
  %_0.i.i111 = bitcast double %ax.sroa.0.1 to i64
  %30 = and i64 %_0.i.i111, 4294967295
  %_5.i = zext nneg i32 %ix.sroa.0.1 to i64
  %_4.i = shl nuw nsw i64 %_5.i, 32
  %31 = or disjoint i64 %_4.i, %30
  %_0.i3.i = bitcast i64 %31 to double
  %_126 = zext nneg i32 %k1.sroa.0.0 to i64
  %_0.i.i112 = getelementptr inbounds double, ptr @w.lib.81, i64 %_126
  %_123 = load double, ptr %_0.i.i112, align 8
  %u = fsub double %_0.i3.i, %_123
  %_129 = fadd double %_123, %_0.i3.i
  %v = fdiv double 1.000000e+00, %_129
  %ss = fmul double %u, %v
  %_0.i.i114 = bitcast double %ss to i64
  %32 = and i64 %_0.i.i114, -4294967296
  %_0.i3.i115 = bitcast i64 %32 to double
  %_142 = lshr i32 %ix.sroa.0.1, 1
  %_141 = or i32 %_142, 536870912
  %_144 = shl nuw nsw i32 %k1.sroa.0.0, 18
  %_140 = or disjoint i32 %_144, 524288
  %_139 = add nuw nsw i32 %_140, %_141
  %_5.i116 = zext nneg i32 %_139 to i64
  %_4.i117 = shl nuw nsw i64 %_5.i116, 32
  %_0.i3.i118 = bitcast i64 %_4.i117 to double
  %33 = fsub double %_123, %_0.i3.i118
  %t_l = fadd double %33, %_0.i3.i
  %_157 = fmul double %_0.i3.i118, %_0.i3.i115
  %_156 = fsub double %u, %_157
  %_158 = fmul double %t_l, %_0.i3.i115
  %_155 = fsub double %_156, %_158
  %s_l = fmul double %v, %_155
  %s2 = fmul double %ss, %ss
  %_161 = fmul double %s2, %s2
  %_171 = fmul double %s2, 0x3FCA7E284A454EEF
  %_170 = fadd double %_171, 0x3FCD864A93C9DB65
  %_169 = fmul double %s2, %_170
  %_168 = fadd double %_169, 0x3FD17460A91D4101
  %_167 = fmul double %s2, %_168
  %_166 = fadd double %_167, 0x3FD55555518F264D
  %_165 = fmul double %s2, %_166
  %_164 = fadd double %_165, 0x3FDB6DB6DB6FABFF
  %_163 = fmul double %s2, %_164
  %_162 = fadd double %_163, 0x3FE3333333333303
  %34 = fmul double %_161, %_162
  %_173 = fadd double %ss, %_0.i3.i115
  %_172 = fmul double %_173, %s_l
  %35 = fadd double %_172, %34
  %s24 = fmul double %_0.i3.i115, %_0.i3.i115
  %_177 = fadd double %s24, 3.000000e+00
  %_176 = fadd double %_177, %35
  %_0.i.i120 = bitcast double %_176 to i64
  %36 = and i64 %_0.i.i120, -4294967296
  %_0.i3.i121 = bitcast i64 %36 to double
  %_181 = fadd double %_0.i3.i121, -3.000000e+00
  %_180 = fsub double %_181, %s24
  %t_l6 = fsub double %35, %_180
  %u7 = fmul double %_0.i3.i115, %_0.i3.i121
  %_184 = fmul double %s_l, %_0.i3.i121
  %_185 = fmul double %ss, %t_l6
  %v8 = fadd double %_184, %_185
  %_187 = fadd double %u7, %v8
  %_0.i.i122 = bitcast double %_187 to i64
  %37 = and i64 %_0.i.i122, -4294967296
  %_0.i3.i123 = bitcast i64 %37 to double
  %_189 = fsub double %_0.i3.i123, %u7
  %p_l = fsub double %v8, %_189
  %z_h = fmul double %_0.i3.i123, 0x3FEEC709E0000000
  %_193 = fmul double %_0.i3.i123, 0x3E3E2FE0145B01F5
  %_194 = fmul double %p_l, 0x3FEEC709DC3A03FD
  %38 = fsub double %_194, %_193
  %_0.i.i124 = getelementptr inbounds double, ptr @w.lib.82, i64 %_126
  %_195 = load double, ptr %_0.i.i124, align 8
  %z_l = fadd double %_195, %38
  %t = sitofp i32 %n.sroa.0.1 to double
  %_204 = fadd double %z_h, %z_l
  %_0.i.i125 = getelementptr inbounds double, ptr @w.lib.83, i64 %_126
  %_205 = load double, ptr %_0.i.i125, align 8
  %_203 = fadd double %_205, %_204
  %_202 = fadd double %_203, %t
  %_0.i.i126 = bitcast double %_202 to i64
  %39 = and i64 %_0.i.i126, -4294967296
  %_0.i3.i127 = bitcast i64 %39 to double
  %_212 = fsub double %_0.i3.i127, %t
  %_211 = fsub double %_212, %_205
  %_210 = fsub double %_211, %z_h
  %40 = fsub double %z_l, %_210
  br label %bb139
bb139:
  %t1.sroa.0.0 = phi double [ %_0.i3.i134, %bb111 ], [ %_0.i3.i127, %bb126 ]
  %t2.sroa.0.0 = phi double [ %45, %bb111 ], [ %40, %bb126 ]
  %41 = and i64 %_0.i108, -4294967296
  %_0.i3.i130 = bitcast i64 %41 to double
  %_221 = fsub double %y, %_0.i3.i130
  %_220 = fmul double %_221, %t1.sroa.0.0
  %_223 = fmul double %y, %t2.sroa.0.0
  %p_l13 = fadd double %_220, %_223
  %42 = fmul double %t1.sroa.0.0, %_0.i3.i130
  %z14 = fadd double %42, %p_l13
  %_0.i131 = bitcast double %z14 to i64
  %_228 = lshr i64 %_0.i131, 32
  %43 = trunc nuw i64 %_228 to i32
  %i = trunc i64 %_0.i131 to i32
  %_232 = icmp sgt i32 %43, 1083179007
  br i1 %_232, label %bb143, label %bb148
bb104:
  %_82 = icmp ult i32 %0, 1072693247
  br i1 %_82, label %bb105, label %bb109
bb93:
  %_76 = icmp ult i32 %0, 1072693248
  br i1 %_76, label %bb94, label %bb99
bb94:
  %_78 = icmp slt i64 %_0.i108, 0
  %. = select i1 %_78, double 0x7FF0000000000000, double 0.000000e+00
  br label %bb179
bb99:
  %_81 = icmp sgt i32 %hy, 0
  %.106 = select i1 %_81, double 0x7FF0000000000000, double 0.000000e+00
  br label %bb179
bb109:
  %_87 = icmp ugt i32 %0, 1072693248
  br i1 %_87, label %bb110, label %bb111
bb105:
  %_84 = icmp slt i64 %_0.i108, 0
  br i1 %_84, label %bb106, label %bb107
bb111:
  %t10 = fadd double %12, -1.000000e+00
  %_93 = fmul double %t10, %t10
  %_97 = fmul double %t10, 2.500000e-01
  %_96 = fsub double 0x3FD5555555555555, %_97
  %_95 = fmul double %t10, %_96
  %_94 = fsub double 5.000000e-01, %_95
  %w = fmul double %_93, %_94
  %u11 = fmul double %t10, 0x3FF7154760000000
  %_100 = fmul double %t10, 0x3E54AE0BF85DDF44
  %_101 = fmul double %w, 0x3FF71547652B82FE
  %v12 = fsub double %_100, %_101
  %_102 = fadd double %u11, %v12
  %_0.i.i133 = bitcast double %_102 to i64
  %44 = and i64 %_0.i.i133, -4294967296
  %_0.i3.i134 = bitcast i64 %44 to double
  %_103 = fsub double %_0.i3.i134, %u11
  %45 = fsub double %v12, %_103
  br label %bb139
bb110:
  %_88 = icmp sgt i32 %hy, 0
  br i1 %_88, label %bb112, label %bb113
bb148:
  %_244 = and i32 %43, 2147482624
  %_243 = icmp ugt i32 %_244, 1083231231
  br i1 %_243, label %bb149, label %bb156
bb143:
  %_235 = add nsw i32 %43, -1083179008
  %_234 = or i32 %_235, %i
  %46 = icmp eq i32 %_234, 0
  br i1 %46, label %bb145, label %bb144
bb149:
  %_247 = add nsw i32 %43, 1064252416
  %_246 = or i32 %_247, %i
  %47 = icmp eq i32 %_246, 0
  br i1 %47, label %bb151, label %bb150
bb151:
  %_253 = fsub double %z14, %42
  %_252 = fcmp ugt double %p_l13, %_253
  br i1 %_252, label %bb156, label %bb152
bb150:
  %_251 = fmul double %s.sroa.0.0, 1.000000e-300
  %48 = fmul double %_251, 1.000000e-300
  br label %bb179
bb152:
  %_255 = fmul double %s.sroa.0.0, 1.000000e-300
  %49 = fmul double %_255, 1.000000e-300
  br label %bb179
bb156:
  %i15 = and i32 %43, 2147483647
  %_260 = icmp ugt i32 %i15, 1071644672
  br i1 %_260, label %bb157, label %bb162
bb145:
  %_239 = fadd double %p_l13, 0x3C971547652B82FE
  %_240 = fsub double %z14, %42
  %_238 = fcmp ogt double %_239, %_240
  br i1 %_238, label %bb146, label %bb156
bb144:
  %_237 = fmul double %s.sroa.0.0, 1.000000e+300
  %50 = fmul double %_237, 1.000000e+300
  br label %bb179
bb146:
  %_242 = fmul double %s.sroa.0.0, 1.000000e+300
  %51 = fmul double %_242, 1.000000e+300
  br label %bb179
bb162:
  %_0.i.i135.pre-phi = phi i64 [ %.pre150, %bb157 ], [ %_0.i131, %bb156 ]
  %n3.sroa.0.0 = phi i32 [ %spec.select, %bb157 ], [ 0, %bb156 ]
  %p_h.sroa.0.0 = phi double [ %65, %bb157 ], [ %42, %bb156 ]
  %52 = and i64 %_0.i.i135.pre-phi, -4294967296
  %_0.i3.i136 = bitcast i64 %52 to double
  %u18 = fmul double %_0.i3.i136, 0x3FE62E4300000000
  %_286 = fsub double %_0.i3.i136, %p_h.sroa.0.0
  %_285 = fsub double %p_l13, %_286
  %_284 = fmul double %_285, 0x3FE62E42FEFA39EF
  %_287 = fmul double %_0.i3.i136, 0x3E205C610CA86C39
  %53 = fsub double %_284, %_287
  %54 = fadd double %u18, %53
  %_290 = fsub double %54, %u18
  %w20 = fsub double %53, %_290
  %t21 = fmul double %54, %54
  %_305 = fmul double %t21, 0x3E66376972BEA4D0
  %_304 = fadd double %_305, 0xBEBBBD41C5D26BF1
  %_303 = fmul double %t21, %_304
  %_302 = fadd double %_303, 0x3F11566AAF25DE2C
  %_301 = fmul double %t21, %_302
  %_300 = fadd double %_301, 0xBF66C16C16BEBD93
  %_299 = fmul double %t21, %_300
  %_298 = fadd double %_299, 0x3FC555555555553E
  %_297 = fmul double %t21, %_298
  %t122 = fsub double %54, %_297
  %_308 = fmul double %54, %t122
  %_310 = fadd double %t122, -2.000000e+00
  %_307 = fdiv double %_308, %_310
  %_312 = fmul double %54, %w20
  %_311 = fadd double %w20, %_312
  %r23 = fsub double %_307, %_311
  %55 = fsub double %54, %r23
  %56 = fadd double %55, 1.000000e+00
  %_0.i.i137 = bitcast double %56 to i64
  %_2.i138 = lshr i64 %_0.i.i137, 32
  %_0.i139 = trunc nuw i64 %_2.i138 to i32
  %_317 = shl i32 %n3.sroa.0.0, 20
  %57 = add i32 %_317, %_0.i139
  %_319 = icmp slt i32 %57, 1048576
  br i1 %_319, label %bb165, label %bb167
bb157:
  %_258 = lshr i32 %43, 20
  %_263 = add nuw nsw i32 %_258, 2
  %58 = and i32 %_263, 31
  %_262 = lshr i32 1048576, %58
  %59 = add i32 %_262, %43
  %_265 = lshr i32 %59, 20
  %60 = add nuw nsw i32 %_265, 1
  %61 = and i32 %60, 31
  %_271 = ashr i32 -1048576, %61
  %_269 = and i32 %_271, %59
  %_5.i140 = zext i32 %_269 to i64
  %_4.i141 = shl nuw i64 %_5.i140, 32
  %_0.i3.i142 = bitcast i64 %_4.i141 to double
  %_275 = and i32 %59, 1048575
  %_274 = or disjoint i32 %_275, 1048576
  %_276 = sub nsw i32 19, %_265
  %62 = and i32 %_276, 31
  %63 = lshr i32 %_274, %62
  %_277 = icmp slt i64 %_0.i131, 0
  %64 = sub nsw i32 0, %63
  %spec.select = select i1 %_277, i32 %64, i32 %63
  %65 = fsub double %42, %_0.i3.i142
  %.pre = fadd double %p_l13, %65
  %.pre150 = bitcast double %.pre to i64
  br label %bb162
bb167:
  %66 = and i64 %_0.i.i137, 4294967295
  %_5.i144 = zext nneg i32 %57 to i64
  %_4.i145 = shl nuw nsw i64 %_5.i144, 32
  %67 = or disjoint i64 %_4.i145, %66
  %_0.i3.i146 = bitcast i64 %67 to double
  br label %bb169
bb165:
  %_322 = call double @w.lib.332(double %56, i32 %n3.sroa.0.0)
  br label %bb169
bb169:
  %z.sroa.0.0 = phi double [ %_322, %bb165 ], [ %_0.i3.i146, %bb167 ]
  %68 = fmul double %s.sroa.0.0, %z.sroa.0.0
  br label %bb179
bb179:
  %ax.sroa.0.2 = phi double [ %14, %bb55 ], [ 1.000000e+00, %start ], [ %6, %bb17 ], [ %20, %bb76 ], [ %22, %bb78 ], [ %ax.sroa.0.0, %bb77 ], [ %ax.sroa.0.0, %bb72 ], [ %23, %bb86 ], [ %17, %bb47 ], [ 1.000000e+00, %bb6 ], [ %., %bb94 ], [ %.106, %bb99 ], [ %72, %bb106 ], [ %71, %bb107 ], [ %70, %bb112 ], [ %69, %bb113 ], [ %51, %bb146 ], [ %68, %bb169 ], [ %50, %bb144 ], [ %49, %bb152 ], [ %48, %bb150 ], [ %15, %bb57 ], [ %16, %bb60 ], [ %x, %bb52 ], [ 1.000000e+00, %bb38 ], [ 0.000000e+00, %bb45 ], [ %y., %bb41 ]
  ret double %ax.sroa.0.2
bb113:
  %_90 = fmul double %s.sroa.0.0, 1.000000e-300
  %69 = fmul double %_90, 1.000000e-300
  br label %bb179
bb112:
  %_89 = fmul double %s.sroa.0.0, 1.000000e+300
  %70 = fmul double %_89, 1.000000e+300
  br label %bb179
bb107:
  %_86 = fmul double %s.sroa.0.0, 1.000000e-300
  %71 = fmul double %_86, 1.000000e-300
  br label %bb179
bb106:
  %_85 = fmul double %s.sroa.0.0, 1.000000e+300
  %72 = fmul double %_85, 1.000000e+300
  br label %bb179
}
define internal double @w.lib.345(double %x) nounwind {
start:
  %_20 = alloca [24 x i8], align 8
  %_15.sroa.0 = alloca double, align 8
  %_12.sroa.0 = alloca double, align 8
  %_0.i = bitcast double %x to i64
  %_5 = lshr i64 %_0.i, 32
  %_4 = trunc nuw i64 %_5 to i32
  %ix = and i32 %_4, 2147483647
  %_7 = icmp ult i32 %ix, 1072243196
  br i1 %_7, label %bb3, label %bb11
bb11:
  %_16 = icmp ugt i32 %ix, 2146435071
  br i1 %_16, label %bb12, label %bb13
bb3:
  %_8 = icmp ult i32 %ix, 1045430272
  br i1 %_8, label %bb4, label %bb10
bb13:
  call void @w.lib.352(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_20, double %x)
  %0 = getelementptr inbounds i8, ptr %_20, i64 8
  %n = load i32, ptr %0, align 8
  %y0 = load double, ptr %_20, align 8
  %1 = getelementptr inbounds i8, ptr %_20, i64 16
  %y1 = load double, ptr %1, align 8
  %_21 = and i32 %n, 3
  switch i32 %_21, label %default.unreachable31 [
    i32 0, label %bb18
    i32 1, label %bb17
    i32 2, label %bb16
    i32 3, label %bb15
  ]
bb12:
  %2 = fsub double %x, %x
  br label %bb23
default.unreachable31:
  unreachable
bb15:
  %_23 = call double @w.lib.353(double %y0, double %y1)
  %3 = fneg double %_23
  br label %bb23
bb18:
  %z.i = fmul double %y0, %y0
  %w.i = fmul double %z.i, %z.i
  %_10.i = fmul double %z.i, 0x3EC71DE357B1FE7D
  %_9.i = fadd double %_10.i, 0xBF2A01A019C161D5
  %_8.i = fmul double %z.i, %_9.i
  %_7.i = fadd double %_8.i, 0x3F8111111110F8A6
  %_12.i = fmul double %z.i, %w.i
  %_14.i = fmul double %z.i, 0x3DE5D93A5ACFD57C
  %_13.i = fadd double %_14.i, 0xBE5AE5E68A2B9CEB
  %_11.i = fmul double %_12.i, %_13.i
  %r.i = fadd double %_11.i, %_7.i
  %v.i = fmul double %y0, %z.i
  %_23.i = fmul double %y1, 5.000000e-01
  %_24.i = fmul double %v.i, %r.i
  %_22.i = fsub double %_23.i, %_24.i
  %_21.i = fmul double %z.i, %_22.i
  %_20.i = fsub double %_21.i, %y1
  %_25.i = fmul double %v.i, 0x3FC5555555555549
  %4 = fadd double %_25.i, %_20.i
  %5 = fsub double %y0, %4
  br label %bb23
bb17:
  %6 = call double @w.lib.353(double %y0, double %y1)
  br label %bb23
bb16:
  %z.i1 = fmul double %y0, %y0
  %w.i2 = fmul double %z.i1, %z.i1
  %_10.i3 = fmul double %z.i1, 0x3EC71DE357B1FE7D
  %_9.i4 = fadd double %_10.i3, 0xBF2A01A019C161D5
  %_8.i5 = fmul double %z.i1, %_9.i4
  %_7.i6 = fadd double %_8.i5, 0x3F8111111110F8A6
  %_12.i7 = fmul double %z.i1, %w.i2
  %_14.i8 = fmul double %z.i1, 0x3DE5D93A5ACFD57C
  %_13.i9 = fadd double %_14.i8, 0xBE5AE5E68A2B9CEB
  %_11.i10 = fmul double %_12.i7, %_13.i9
  %r.i11 = fadd double %_11.i10, %_7.i6
  %v.i12 = fmul double %y0, %z.i1
  %_23.i13 = fmul double %y1, 5.000000e-01
  %_24.i14 = fmul double %v.i12, %r.i11
  %_22.i15 = fsub double %_23.i13, %_24.i14
  %_21.i16 = fmul double %z.i1, %_22.i15
  %_20.i17 = fsub double %_21.i16, %y1
  %_25.i18 = fmul double %v.i12, 0x3FC5555555555549
  %7 = fadd double %_25.i18, %_20.i17
  %8 = fsub double %y0, %7
  %9 = fneg double %8
  br label %bb23
bb23:
  %_0.sroa.0.0 = phi double [ %3, %bb15 ], [ %10, %bb10 ], [ %2, %bb12 ], [ %5, %bb18 ], [ %6, %bb17 ], [ %9, %bb16 ], [ %x, %bb5 ], [ %x, %bb7 ]
  ret double %_0.sroa.0.0
bb10:
  %z.i19 = fmul double %x, %x
  %w.i20 = fmul double %z.i19, %z.i19
  %_10.i21 = fmul double %z.i19, 0x3EC71DE357B1FE7D
  %_9.i22 = fadd double %_10.i21, 0xBF2A01A019C161D5
  %_8.i23 = fmul double %z.i19, %_9.i22
  %_7.i24 = fadd double %_8.i23, 0x3F8111111110F8A6
  %_12.i25 = fmul double %z.i19, %w.i20
  %_14.i26 = fmul double %z.i19, 0x3DE5D93A5ACFD57C
  %_13.i27 = fadd double %_14.i26, 0xBE5AE5E68A2B9CEB
  %_11.i28 = fmul double %_12.i25, %_13.i27
  %r.i29 = fadd double %_11.i28, %_7.i24
  %v.i30 = fmul double %x, %z.i19
  %_18.i = fmul double %z.i19, %r.i29
  %_17.i = fadd double %_18.i, 0xBFC5555555555549
  %_16.i = fmul double %v.i30, %_17.i
  %10 = fadd double %x, %_16.i
  br label %bb23
bb4:
  %_9 = icmp ult i32 %ix, 1048576
  br i1 %_9, label %bb5, label %bb7
bb7:
  %11 = fadd double %x, 0x4770000000000000
  store double %11, ptr %_15.sroa.0, align 8
  %_15.sroa.0.0._15.sroa.0.0._15.sroa.0.0._15.sroa.0.0. = load volatile double, ptr %_15.sroa.0, align 8
  br label %bb23
bb5:
  %12 = fmul double %x, 0x3870000000000000
  store double %12, ptr %_12.sroa.0, align 8
  %_12.sroa.0.0._12.sroa.0.0._12.sroa.0.0._12.sroa.0.0. = load volatile double, ptr %_12.sroa.0, align 8
  br label %bb23
}
define internal double @w.lib.369(double %x) nounwind {
start:
  %_19 = alloca [24 x i8], align 8
  %_11.sroa.0 = alloca double, align 8
  %_0.i = bitcast double %x to i64
  %_5 = lshr i64 %_0.i, 32
  %_4 = trunc nuw i64 %_5 to i32
  %ix = and i32 %_4, 2147483647
  %_7 = icmp ult i32 %ix, 1072243196
  br i1 %_7, label %bb3, label %bb10
bb10:
  %_15 = icmp ugt i32 %ix, 2146435071
  br i1 %_15, label %bb11, label %bb12
bb3:
  %_8 = icmp ult i32 %ix, 1044381696
  br i1 %_8, label %bb4, label %bb9
bb12:
  call void @w.lib.352(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_19, double %x)
  %0 = getelementptr inbounds i8, ptr %_19, i64 8
  %n = load i32, ptr %0, align 8
  %y0 = load double, ptr %_19, align 8
  %1 = getelementptr inbounds i8, ptr %_19, i64 16
  %y1 = load double, ptr %1, align 8
  %_20 = and i32 %n, 1
  %2 = call double @w.lib.370(double %y0, double %y1, i32 %_20)
  br label %bb16
bb11:
  %3 = fsub double %x, %x
  br label %bb16
bb16:
  %_0.sroa.0.0 = phi double [ %x, %bb4 ], [ %4, %bb9 ], [ %3, %bb11 ], [ %2, %bb12 ]
  ret double %_0.sroa.0.0
bb9:
  %4 = call double @w.lib.370(double %x, double 0.000000e+00, i32 0)
  br label %bb16
bb4:
  %_12 = icmp ult i32 %ix, 1048576
  %5 = fadd double %x, 0x4770000000000000
  %6 = fmul double %x, 0x3870000000000000
  %storemerge = select i1 %_12, double %6, double %5
  store double %storemerge, ptr %_11.sroa.0, align 8
  %_11.sroa.0.0._11.sroa.0.0._11.sroa.0.0._11.sroa.0.0. = load volatile double, ptr %_11.sroa.0, align 8
  br label %bb16
}
define internal double @w.lib.371(double %x) nounwind {
start:
  %_0.i = bitcast double %x to i64
  %_8 = lshr i64 %_0.i, 32
  %hx = trunc nuw i64 %_8 to i32
  %ix = and i32 %hx, 2147483647
  %_10 = icmp ugt i32 %ix, 1072693247
  br i1 %_10, label %bb3, label %bb9
bb9:
  %_17 = icmp ult i32 %ix, 1071644672
  br i1 %_17, label %bb10, label %bb11
bb3:
  %lx = trunc i64 %_0.i to i32
  %_14 = add nsw i32 %ix, -1072693248
  %_13 = or i32 %_14, %lx
  %0 = icmp eq i32 %_13, 0
  br i1 %0, label %bb5, label %bb8
bb11:
  %1 = icmp sgt i64 %_0.i, -1
  br i1 %1, label %bb16, label %bb15
bb10:
  %_18 = icmp ult i32 %ix, 1012924417
  br i1 %_18, label %bb27, label %bb13
bb16:
  %_32 = fsub double 1.000000e+00, %x
  %2 = fmul double %_32, 5.000000e-01
  %3 = call double @llvm.sqrt.f64(double %2)
  %_0.i5 = bitcast double %3 to i64
  %_36 = and i64 %_0.i5, -4294967296
  %_0.i6 = bitcast i64 %_36 to double
  %_41 = fmul double %_0.i6, %_0.i6
  %_39 = fsub double %2, %_41
  %_42 = fadd double %3, %_0.i6
  %c = fdiv double %_39, %_42
  %_12.i = fmul double %2, 0x3F023DE10DFDF709
  %_11.i = fadd double %_12.i, 0x3F49EFE07501B288
  %_10.i = fmul double %2, %_11.i
  %_9.i = fadd double %_10.i, 0xBFA48228B5688F3B
  %_8.i = fmul double %2, %_9.i
  %_7.i = fadd double %_8.i, 0x3FC9C1550E884455
  %_6.i = fmul double %2, %_7.i
  %_5.i = fadd double %_6.i, 0xBFD4D61203EB6F7D
  %_4.i = fmul double %2, %_5.i
  %_3.i = fadd double %_4.i, 0x3FC5555555555555
  %p.i = fmul double %2, %_3.i
  %_20.i = fmul double %2, 0x3FB3B8C5B12E9282
  %_19.i = fadd double %_20.i, 0xBFE6066C1B8D0159
  %_18.i = fmul double %2, %_19.i
  %_17.i = fadd double %_18.i, 0x40002AE59C598AC8
  %_16.i = fmul double %2, %_17.i
  %_15.i = fadd double %_16.i, 0xC0033A271C8A2D4B
  %_14.i = fmul double %2, %_15.i
  %q.i = fadd double %_14.i, 1.000000e+00
  %_0.i7 = fdiv double %p.i, %q.i
  %_44 = fmul double %3, %_0.i7
  %4 = fadd double %c, %_44
  %_46 = fadd double %4, %_0.i6
  %5 = fmul double %_46, 2.000000e+00
  br label %bb27
bb15:
  %_25 = fadd double %x, 1.000000e+00
  %6 = fmul double %_25, 5.000000e-01
  %7 = call double @llvm.sqrt.f64(double %6)
  %_12.i8 = fmul double %6, 0x3F023DE10DFDF709
  %_11.i9 = fadd double %_12.i8, 0x3F49EFE07501B288
  %_10.i10 = fmul double %6, %_11.i9
  %_9.i11 = fadd double %_10.i10, 0xBFA48228B5688F3B
  %_8.i12 = fmul double %6, %_9.i11
  %_7.i13 = fadd double %_8.i12, 0x3FC9C1550E884455
  %_6.i14 = fmul double %6, %_7.i13
  %_5.i15 = fadd double %_6.i14, 0xBFD4D61203EB6F7D
  %_4.i16 = fmul double %6, %_5.i15
  %_3.i17 = fadd double %_4.i16, 0x3FC5555555555555
  %p.i18 = fmul double %6, %_3.i17
  %_20.i19 = fmul double %6, 0x3FB3B8C5B12E9282
  %_19.i20 = fadd double %_20.i19, 0xBFE6066C1B8D0159
  %_18.i21 = fmul double %6, %_19.i20
  %_17.i22 = fadd double %_18.i21, 0x40002AE59C598AC8
  %_16.i23 = fmul double %6, %_17.i22
  %_15.i24 = fadd double %_16.i23, 0xC0033A271C8A2D4B
  %_14.i25 = fmul double %6, %_15.i24
  %q.i26 = fadd double %_14.i25, 1.000000e+00
  %_0.i27 = fdiv double %p.i18, %q.i26
  %_27 = fmul double %7, %_0.i27
  %8 = fadd double %_27, 0xBC91A62633145C07
  %_31 = fadd double %7, %8
  %_30 = fsub double 0x3FF921FB54442D18, %_31
  %9 = fmul double %_30, 2.000000e+00
  br label %bb27
bb27:
  %_0.sroa.0.0 = phi double [ %9, %bb15 ], [ 0x400921FB54442D18, %bb6 ], [ %13, %bb8 ], [ 0.000000e+00, %bb5 ], [ %11, %bb13 ], [ %5, %bb16 ], [ 0x3FF921FB54442D18, %bb10 ]
  ret double %_0.sroa.0.0
bb13:
  %_23 = fmul double %x, %x
  %_12.i28 = fmul double %_23, 0x3F023DE10DFDF709
  %_11.i29 = fadd double %_12.i28, 0x3F49EFE07501B288
  %_10.i30 = fmul double %_23, %_11.i29
  %_9.i31 = fadd double %_10.i30, 0xBFA48228B5688F3B
  %_8.i32 = fmul double %_23, %_9.i31
  %_7.i33 = fadd double %_8.i32, 0x3FC9C1550E884455
  %_6.i34 = fmul double %_23, %_7.i33
  %_5.i35 = fadd double %_6.i34, 0xBFD4D61203EB6F7D
  %_4.i36 = fmul double %_23, %_5.i35
  %_3.i37 = fadd double %_4.i36, 0x3FC5555555555555
  %p.i38 = fmul double %_23, %_3.i37
  %_20.i39 = fmul double %_23, 0x3FB3B8C5B12E9282
  %_19.i40 = fadd double %_20.i39, 0xBFE6066C1B8D0159
  %_18.i41 = fmul double %_23, %_19.i40
  %_17.i42 = fadd double %_18.i41, 0x40002AE59C598AC8
  %_16.i43 = fmul double %_23, %_17.i42
  %_15.i44 = fadd double %_16.i43, 0xC0033A271C8A2D4B
  %_14.i45 = fmul double %_23, %_15.i44
  %q.i46 = fadd double %_14.i45, 1.000000e+00
  %_0.i47 = fdiv double %p.i38, %q.i46
  %_21 = fmul double %x, %_0.i47
  %_20 = fsub double 0x3C91A62633145C07, %_21
  %10 = fsub double %_20, %x
  %11 = fadd double %10, 0x3FF921FB54442D18
  br label %bb27
bb5:
  %12 = icmp sgt i64 %_0.i, -1
  br i1 %12, label %bb27, label %bb6
bb8:
  %_16 = fsub double %x, %x
  %13 = fdiv double 0.000000e+00, %_16
  br label %bb27
bb6:
  br label %bb27
}
define internal double @w.lib.372(double %0) nounwind {
start:
  %_0.i.i = bitcast double %0 to i64
  %_2.i = lshr i64 %_0.i.i, 32
  %_0.i = trunc nuw i64 %_2.i to i32
  %1 = and i32 %_0.i, 2147483647
  %_6 = icmp ugt i32 %1, 1072693247
  br i1 %_6, label %bb2, label %bb7
bb7:
  %_15 = icmp ult i32 %1, 1071644672
  br i1 %_15, label %bb8, label %bb9
bb2:
  %_0.i8 = trunc i64 %_0.i.i to i32
  %_10 = add nsw i32 %1, -1072693248
  %_9 = or i32 %_10, %_0.i8
  %2 = icmp eq i32 %_9, 0
  br i1 %2, label %bb4, label %bb6
bb9:
  %3 = call double @llvm.fabs.f64(double %0)
  %_24 = fsub double 1.000000e+00, %3
  %z = fmul double %_24, 5.000000e-01
  %4 = call double @llvm.sqrt.f64(double %z)
  %_12.i = fmul double %z, 0x3F023DE10DFDF709
  %_11.i = fadd double %_12.i, 0x3F49EFE07501B288
  %_10.i = fmul double %z, %_11.i
  %_9.i = fadd double %_10.i, 0xBFA48228B5688F3B
  %_8.i = fmul double %z, %_9.i
  %_7.i = fadd double %_8.i, 0x3FC9C1550E884455
  %_6.i = fmul double %z, %_7.i
  %_5.i = fadd double %_6.i, 0xBFD4D61203EB6F7D
  %_4.i = fmul double %z, %_5.i
  %_3.i = fadd double %_4.i, 0x3FC5555555555555
  %p.i = fmul double %z, %_3.i
  %_20.i = fmul double %z, 0x3FB3B8C5B12E9282
  %_19.i = fadd double %_20.i, 0xBFE6066C1B8D0159
  %_18.i = fmul double %z, %_19.i
  %_17.i = fadd double %_18.i, 0x40002AE59C598AC8
  %_16.i = fmul double %z, %_17.i
  %_15.i = fadd double %_16.i, 0xC0033A271C8A2D4B
  %_14.i = fmul double %z, %_15.i
  %q.i = fadd double %_14.i, 1.000000e+00
  %_0.i9 = fdiv double %p.i, %q.i
  %_28 = icmp ugt i32 %1, 1072640818
  br i1 %_28, label %bb17, label %bb18
bb8:
  %5 = add nsw i32 %1, -1048576
  %_0.sroa.0.0.i.i = icmp ult i32 %5, 1044381696
  br i1 %_0.sroa.0.0.i.i, label %bb27, label %bb12
bb18:
  %_0.i.i10 = bitcast double %4 to i64
  %6 = and i64 %_0.i.i10, -4294967296
  %_0.i3.i = bitcast i64 %6 to double
  %_36 = fmul double %_0.i3.i, %_0.i3.i
  %_35 = fsub double %z, %_36
  %_37 = fadd double %4, %_0.i3.i
  %c = fdiv double %_35, %_37
  %_41 = fmul double %4, 2.000000e+00
  %_40 = fmul double %_41, %_0.i9
  %_43 = fmul double %c, 2.000000e+00
  %_42 = fsub double 0x3C91A62633145C07, %_43
  %_45 = fmul double %_0.i3.i, 2.000000e+00
  %_44 = fsub double 0x3FE921FB54442D18, %_45
  %7 = fsub double %_42, %_40
  %8 = fadd double %_44, %7
  %9 = fadd double %8, 0x3FE921FB54442D18
  br label %bb20
bb17:
  %_32 = fmul double %4, %_0.i9
  %_31 = fadd double %4, %_32
  %_30 = fmul double %_31, 2.000000e+00
  %_29 = fadd double %_30, 0xBC91A62633145C07
  %10 = fsub double 0x3FF921FB54442D18, %_29
  br label %bb20
bb20:
  %x.sroa.0.0 = phi double [ %10, %bb17 ], [ %9, %bb18 ]
  %11 = icmp sgt i64 %_0.i.i, -1
  br i1 %11, label %bb27, label %bb21
bb21:
  %12 = fneg double %x.sroa.0.0
  br label %bb27
bb27:
  %_0.sroa.0.0 = phi double [ %14, %bb4 ], [ %15, %bb6 ], [ %x.sroa.0.0, %bb20 ], [ %13, %bb12 ], [ %12, %bb21 ], [ %0, %bb8 ]
  ret double %_0.sroa.0.0
bb12:
  %_22 = fmul double %0, %0
  %_12.i11 = fmul double %_22, 0x3F023DE10DFDF709
  %_11.i12 = fadd double %_12.i11, 0x3F49EFE07501B288
  %_10.i13 = fmul double %_22, %_11.i12
  %_9.i14 = fadd double %_10.i13, 0xBFA48228B5688F3B
  %_8.i15 = fmul double %_22, %_9.i14
  %_7.i16 = fadd double %_8.i15, 0x3FC9C1550E884455
  %_6.i17 = fmul double %_22, %_7.i16
  %_5.i18 = fadd double %_6.i17, 0xBFD4D61203EB6F7D
  %_4.i19 = fmul double %_22, %_5.i18
  %_3.i20 = fadd double %_4.i19, 0x3FC5555555555555
  %p.i21 = fmul double %_22, %_3.i20
  %_20.i22 = fmul double %_22, 0x3FB3B8C5B12E9282
  %_19.i23 = fadd double %_20.i22, 0xBFE6066C1B8D0159
  %_18.i24 = fmul double %_22, %_19.i23
  %_17.i25 = fadd double %_18.i24, 0x40002AE59C598AC8
  %_16.i26 = fmul double %_22, %_17.i25
  %_15.i27 = fadd double %_16.i26, 0xC0033A271C8A2D4B
  %_14.i28 = fmul double %_22, %_15.i27
  %q.i29 = fadd double %_14.i28, 1.000000e+00
  %_0.i30 = fdiv double %p.i21, %q.i29
  %_19 = fmul double %0, %_0.i30
  %13 = fadd double %0, %_19
  br label %bb27
bb4:
  %_11 = fmul double %0, 0x3FF921FB54442D18
  %14 = fadd double %_11, 0x3870000000000000
  br label %bb27
bb6:
  %_13 = fsub double %0, %0
  %15 = fdiv double 0.000000e+00, %_13
  br label %bb27
}
define internal double @w.lib.373(double %0) nounwind {
start:
  %_22.sroa.0 = alloca float, align 4
  %_0.i = bitcast double %0 to i64
  %_3 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_3 to i32
  %2 = and i32 %1, 2147483647
  %_8 = icmp ugt i32 %2, 1141899263
  br i1 %_8, label %bb2, label %bb10
bb10:
  %_15 = icmp ugt i32 %2, 1071382527
  br i1 %_15, label %bb12, label %bb11
bb2:
  %_0.i20 = fcmp uno double %0, 0.000000e+00
  br i1 %_0.i20, label %bb40, label %bb5
bb12:
  %3 = call double @llvm.fabs.f64(double %0)
  %_25 = icmp ult i32 %2, 1072889856
  br i1 %_25, label %bb20, label %bb24
bb11:
  %_17 = icmp ult i32 %2, 1044381696
  br i1 %_17, label %bb13, label %bb29
bb24:
  %_35 = icmp ult i32 %2, 1073971200
  br i1 %_35, label %bb25, label %bb26
bb20:
  %_27 = icmp ult i32 %2, 1072037888
  br i1 %_27, label %bb21, label %bb22
bb26:
  %4 = fdiv double -1.000000e+00, %3
  br label %bb29
bb25:
  %_36 = fadd double %3, -1.500000e+00
  %_39 = fmul double %3, 1.500000e+00
  %_38 = fadd double %_39, 1.000000e+00
  %5 = fdiv double %_36, %_38
  br label %bb29
bb22:
  %_32 = fadd double %3, -1.000000e+00
  %_34 = fadd double %3, 1.000000e+00
  %6 = fdiv double %_32, %_34
  br label %bb29
bb21:
  %_29 = fmul double %3, 2.000000e+00
  %_28 = fadd double %_29, -1.000000e+00
  %_31 = fadd double %3, 2.000000e+00
  %7 = fdiv double %_28, %_31
  br label %bb29
bb29:
  %id.sroa.0.0 = phi i64 [ 3, %bb26 ], [ 0, %bb21 ], [ 1, %bb22 ], [ 2, %bb25 ], [ 4294967295, %bb11 ]
  %x.sroa.0.0 = phi double [ %4, %bb26 ], [ %7, %bb21 ], [ %6, %bb22 ], [ %5, %bb25 ], [ %0, %bb11 ]
  %z = fmul double %x.sroa.0.0, %x.sroa.0.0
  %w = fmul double %z, %z
  %_55 = fmul double %w, 0x3F90AD3AE322DA11
  %_54 = fadd double %_55, 0x3FA97B4B24760DEB
  %_53 = fmul double %w, %_54
  %_52 = fadd double %_53, 0x3FB10D66A0D03D51
  %_51 = fmul double %w, %_52
  %_50 = fadd double %_51, 0x3FB745CDC54C206E
  %_49 = fmul double %w, %_50
  %_48 = fadd double %_49, 0x3FC24924920083FF
  %_47 = fmul double %w, %_48
  %_46 = fadd double %_47, 0x3FD555555555550D
  %s1 = fmul double %z, %_46
  %_64 = fmul double %w, 0x3FA2B4442C6A6C2F
  %8 = fsub double 0xBFADDE2D52DEFD9A, %_64
  %_62 = fmul double %w, %8
  %_61 = fadd double %_62, 0xBFB3B0F2AF749A6D
  %_60 = fmul double %w, %_61
  %_59 = fadd double %_60, 0xBFBC71C6FE231671
  %_58 = fmul double %w, %_59
  %_57 = fadd double %_58, 0xBFC999999998EBC4
  %s2 = fmul double %w, %_57
  br i1 %_15, label %bb31, label %bb30
bb13:
  %_19 = icmp ult i32 %2, 1048576
  br i1 %_19, label %bb14, label %bb40
bb31:
  %_0.i.i = getelementptr inbounds double, ptr @w.lib.84, i64 %id.sroa.0.0
  %_71 = load double, ptr %_0.i.i, align 8
  %_80 = fadd double %s2, %s1
  %_78 = fmul double %x.sroa.0.0, %_80
  %_0.i.i22 = getelementptr inbounds double, ptr @w.lib.85, i64 %id.sroa.0.0
  %_81 = load double, ptr %_0.i.i22, align 8
  %_77 = fsub double %_78, %_81
  %_76 = fsub double %_77, %x.sroa.0.0
  %z1 = fsub double %_71, %_76
  %9 = icmp sgt i64 %_0.i, -1
  br i1 %9, label %bb40, label %bb34
bb30:
  %_69 = fadd double %s2, %s1
  %_68 = fmul double %x.sroa.0.0, %_69
  %10 = fsub double %x.sroa.0.0, %_68
  br label %bb40
bb34:
  %11 = fneg double %z1
  br label %bb40
bb40:
  %_0.sroa.0.0 = phi double [ %0, %bb14 ], [ %0, %bb2 ], [ 0xBFF921FB54442D18, %bb7 ], [ %z1, %bb31 ], [ %10, %bb30 ], [ %11, %bb34 ], [ %0, %bb13 ], [ 0x3FF921FB54442D18, %bb5 ]
  ret double %_0.sroa.0.0
bb14:
  %12 = fptrunc double %0 to float
  store float %12, ptr %_22.sroa.0, align 4
  %_22.sroa.0.0._22.sroa.0.0._22.sroa.0.0._22.sroa.0.0. = load volatile float, ptr %_22.sroa.0, align 4
  br label %bb40
bb5:
  %13 = icmp sgt i64 %_0.i, -1
  br i1 %13, label %bb40, label %bb7
bb7:
  br label %bb40
}
define internal double @w.lib.374(double %x) nounwind {
start:
  %rsc.i = alloca [48 x i8], align 8
  store double 1.000000e+00, ptr %rsc.i, align 8
  %0 = getelementptr inbounds i8, ptr %rsc.i, i64 8
  store double -1.000000e+00, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %rsc.i, i64 16
  store double 5.000000e-01, ptr %1, align 8
  %2 = getelementptr inbounds i8, ptr %rsc.i, i64 24
  store double -5.000000e-01, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %rsc.i, i64 32
  store double 2.500000e-01, ptr %3, align 8
  %4 = getelementptr inbounds i8, ptr %rsc.i, i64 40
  store double -2.500000e-01, ptr %4, align 8
  %_0.i38.i = bitcast double %x to i64
  %_10.i = lshr i64 %_0.i38.i, 52
  %_9.i = trunc nuw nsw i64 %_10.i to i32
  %5 = and i32 %_9.i, 2047
  %_13.i = add nuw nsw i32 %_9.i, 1
  %_12.i = and i32 %_13.i, 2046
  %_11.i = icmp eq i32 %_12.i, 0
  br i1 %_11.i, label %bb2.i, label %bb12.i
bb2.i:
  %6 = call double @llvm.fabs.f64(double %x)
  %ix.i = bitcast double %6 to i64
  %7 = icmp eq i32 %5, 2047
  %8 = icmp eq i64 %ix.i, 0
  %or.cond.i = or i1 %8, %7
  br i1 %or.cond.i, label %bb6.i, label %bb8.i
bb12.i:
  %e.sroa.0.0.i = phi i32 [ %_0.i35.i, %bb8.i ], [ %5, %start ]
  %mant.sroa.0.0.in.i = phi i64 [ %35, %bb8.i ], [ %_0.i38.i, %start ]
  %mant.sroa.0.0.i = and i64 %mant.sroa.0.0.in.i, 4503599627370495
  %cvt1.i = or disjoint i64 %mant.sroa.0.0.i, 4607182418800017408
  %9 = trunc nsw i32 %e.sroa.0.0.i to i16
  %et.lhs.trunc.i = add nsw i16 %9, 3072
  %et56.i = udiv i16 %et.lhs.trunc.i, 3
  %it57.i = urem i16 %et.lhs.trunc.i, 3
  %_0.i37.i = zext nneg i16 %it57.i to i64
  %_29.i = shl nuw nsw i64 %_0.i37.i, 52
  %10 = add nuw nsw i64 %_29.i, %cvt1.i
  %_31.i = and i64 %_0.i38.i, -9223372036854775808
  %11 = bitcast i64 %10 to double
  %_0.i39.i = call double @llvm.copysign.f64(double %11, double %x)
  %12 = getelementptr inbounds double, ptr @w.lib.86, i64 %_0.i37.i
  %_3459.i = load i64, ptr %12, align 8
  %_0.i41.i = bitcast i64 %cvt1.i to double
  %_42.i = call i64 @llvm.fshl.i64(i64 %_0.i37.i, i64 %_0.i38.i, i64 1)
  %r.i = fdiv double 1.000000e+00, %_0.i41.i
  %13 = or i64 %_3459.i, %_31.i
  %14 = getelementptr inbounds double, ptr %rsc.i, i64 %_42.i
  %_41.i = load double, ptr %14, align 8
  %rr.i = fmul double %_41.i, %r.i
  %z2.i = fmul double %_0.i41.i, %_0.i41.i
  %_48.i = fmul double %_0.i41.i, 0x3FE2C9A3E94D1DA5
  %c0.i = fadd double %_48.i, 0x3FE1B0BABCCFEF9C
  %_50.i = fmul double %_0.i41.i, 0x3F97A8D3E4EC9B07
  %c2.i = fadd double %_50.i, 0xBFC4DC30B1A1DDBA
  %_52.i = fmul double %z2.i, %c2.i
  %15 = fadd double %c0.i, %_52.i
  %16 = fmul double %15, %15
  %_58.i = fmul double %r.i, %15
  %_57.i = fmul double %16, %_58.i
  %17 = fadd double %_57.i, -1.000000e+00
  %_61.i = fmul double %15, %17
  %_65.i = fmul double %17, 0x3FCC71C71C71C71C
  %_64.i = fsub double 0x3FD5555555555555, %_65.i
  %_60.i = fmul double %_61.i, %_64.i
  %18 = fsub double %15, %_60.i
  %_0.i42.i = bitcast i64 %13 to double
  %19 = fmul double %18, %_0.i42.i
  %20 = fmul double %19, %19
  %_71.i = fneg double %20
  %21 = call double @llvm.fma.f64(double %19, double %19, double %_71.i)
  %22 = fmul double %19, %20
  %_79.i = fneg double %22
  %23 = call double @llvm.fma.f64(double %19, double %20, double %_79.i)
  %_81.i = fmul double %19, %21
  %24 = fadd double %23, %_81.i
  %_84.i = fsub double %22, %_0.i39.i
  %_83.i = fadd double %_84.i, %24
  %25 = fmul double %rr.i, %_83.i
  %_86.i = fmul double %19, 0x3FD5555555555555
  %26 = fmul double %_86.i, %25
  %27 = fsub double %19, %26
  %_90.i = fsub double %19, %27
  %28 = fsub double %_90.i, %26
  %29 = call double @llvm.fabs.f64(double %28)
  %_94.i = fadd double %29, 0xBCA0000000000000
  %30 = call double @llvm.fabs.f64(double %_94.i)
  %_100.i = fadd double %29, 0xBCB8000000000000
  %31 = call double @llvm.fabs.f64(double %_100.i)
  %_102.i = fcmp olt double %30, 0x3B40000000000000
  %_103.i = fcmp olt double %31, 0x3B40000000000000
  %or.cond3.i = or i1 %_102.i, %_103.i
  br i1 %or.cond3.i, label %bb30.i, label %bb69.i
bb6.i:
  %_18.i = fadd double %x, %x
  br label %_RNvNtNtCsh537bOAIRKx_3lib4math4cbrt10cbrt_round.exit
bb8.i:
  %32 = call i64 @llvm.ctlz.i64(i64 %ix.i, i1 false)
  %33 = trunc nuw nsw i64 %32 to i32
  %nz.i = add nuw nsw i64 %32, 53
  %34 = and i64 %nz.i, 63
  %35 = shl i64 %_0.i38.i, %34
  %reass.sub = sub nsw i32 %5, %33
  %_0.i35.i = add nsw i32 %reass.sub, 12
  br label %bb12.i
bb69.i:
  %y1.sroa.0.0.i = phi double [ %27, %bb12.i ], [ %y1.sroa.0.2.i, %bb40.i ], [ %43, %bb30.i ]
  %dy.sroa.0.0.i = phi double [ %28, %bb12.i ], [ %44, %bb40.i ], [ %44, %bb30.i ]
  %_0.i43.i = bitcast double %y1.sroa.0.0.i to i64
  %narrow.i = add nuw nsw i16 %et56.i, 2731
  %_0.i33.i = zext nneg i16 %narrow.i to i64
  %_162.i = shl i64 %_0.i33.i, 52
  %_0.i36.i = add i64 %_162.i, %_0.i43.i
  %m0.i = shl i64 %_0.i43.i, 30
  %m1.i = lshr i64 %m0.i, 63
  %_170.i = or disjoint i64 %m1.i, %m0.i
  %_169.i = icmp ult i64 %_170.i, 1073741825
  br i1 %_169.i, label %bb74.i, label %bb87.i
bb30.i:
  %36 = fmul double %27, %27
  %_110.i = fneg double %36
  %37 = call double @llvm.fma.f64(double %27, double %27, double %_110.i)
  %38 = fmul double %27, %36
  %_116.i = fneg double %38
  %39 = call double @llvm.fma.f64(double %27, double %36, double %_116.i)
  %_118.i = fmul double %27, %37
  %40 = fadd double %39, %_118.i
  %_121.i = fsub double %38, %_0.i39.i
  %_120.i = fadd double %_121.i, %40
  %41 = fmul double %rr.i, %_120.i
  %_122.i = fmul double %27, 0x3FD5555555555555
  %42 = fmul double %_122.i, %41
  %43 = fsub double %27, %42
  %_126.i = fsub double %27, %43
  %44 = fsub double %_126.i, %42
  %45 = call double @llvm.fabs.f64(double %44)
  %_132.i = fadd double %45, 0xBCA0000000000000
  %46 = call double @llvm.fabs.f64(double %_132.i)
  %_135.i = fadd double %45, 0xBCB8000000000000
  %47 = call double @llvm.fabs.f64(double %_135.i)
  %_137.i = fcmp olt double %46, 0x39D0000000000000
  %_138.i = fcmp olt double %47, 0x39D0000000000000
  %or.cond4.i = or i1 %_137.i, %_138.i
  br i1 %or.cond4.i, label %bb40.i, label %bb69.i
bb40.i:
  %_141.i = fcmp oeq double %11, 0x4009B78223AA307C
  %48 = call double @llvm.copysign.f64(double 0x3FF79D15D0E8D59C, double %x)
  %y1.sroa.0.1.i = select i1 %_141.i, double %48, double %43
  %_142.i = fcmp oeq double %11, 0x401A202BFC89DDFF
  %49 = call double @llvm.copysign.f64(double 0x3FFDE87AA837820F, double %x)
  %y1.sroa.0.2.i = select i1 %_142.i, double %49, double %y1.sroa.0.1.i
  br label %bb69.i
bb74.i:
  %50 = and i64 %_0.i43.i, -65536
  %51 = add i64 %50, 5373952
  %_0.i45.i = bitcast i64 %51 to double
  %_178.i = fsub double %_0.i45.i, %y1.sroa.0.0.i
  %_177.i = fsub double %_178.i, %dy.sroa.0.0.i
  %52 = call double @llvm.fabs.f64(double %_177.i)
  %_175.i = fcmp olt double %52, 0x3C30000000000000
  %_180.i = fcmp oeq double %11, 1.000000e+00
  %or.cond58.i = select i1 %_175.i, i1 true, i1 %_180.i
  br i1 %or.cond58.i, label %bb83.i, label %bb87.i
bb87.i:
  %cvt3.sroa.0.0.i = phi i64 [ %53, %bb83.i ], [ %_0.i36.i, %bb74.i ], [ %_0.i36.i, %bb69.i ]
  %_0.i46.i = bitcast i64 %cvt3.sroa.0.0.i to double
  br label %_RNvNtNtCsh537bOAIRKx_3lib4math4cbrt10cbrt_round.exit
bb83.i:
  %_182.i = add i64 %_0.i36.i, 32768
  %53 = and i64 %_182.i, -65536
  br label %bb87.i
_RNvNtNtCsh537bOAIRKx_3lib4math4cbrt10cbrt_round.exit:
  %_18.pn.i = phi double [ %_18.i, %bb6.i ], [ %_0.i46.i, %bb87.i ]
  ret double %_18.pn.i
}
define internal float @w.lib.362(float %x) nounwind {
start:
  %_13.sroa.0 = alloca float, align 4
  %x64 = fpext float %x to double
  %_0.i = bitcast float %x to i32
  %sign.not = icmp sgt i32 %_0.i, -1
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_8 = icmp ult i32 %1, 1061752795
  br i1 %_8, label %bb3, label %bb7
bb7:
  %_14 = icmp ult i32 %1, 1081824210
  br i1 %_14, label %bb8, label %bb9
bb3:
  %_10 = icmp ult i32 %1, 964689920
  br i1 %_10, label %bb4, label %bb6
bb9:
  %_21 = icmp ult i32 %1, 1088565718
  br i1 %_21, label %bb20, label %bb21
bb8:
  %_16 = icmp ugt i32 %1, 1075235811
  br i1 %_16, label %bb10, label %bb15
bb21:
  %_28 = icmp ugt i32 %1, 2139095039
  br i1 %_28, label %bb32, label %bb33
bb20:
  %_23 = icmp ugt i32 %1, 1085271519
  br i1 %_23, label %bb22, label %bb27
bb33:
  %2 = call { i32, double } @w.lib.377(float %x)
  %_31.0 = extractvalue { i32, double } %2, 0
  %_31.1 = extractvalue { i32, double } %2, 1
  %_32 = and i32 %_31.0, 3
  switch i32 %_32, label %default.unreachable129 [
    i32 0, label %bb38
    i32 1, label %bb37
    i32 2, label %bb36
    i32 3, label %bb35
  ]
bb32:
  %3 = fsub float %x, %x
  br label %bb46
default.unreachable129:
  unreachable
bb35:
  %z.i = fmul double %_31.1, %_31.1
  %w.i = fmul double %z.i, %z.i
  %_5.i = fmul double %z.i, 0x3EC6CD878C3B46A7
  %r.i = fadd double %_5.i, 0xBF2A00F9E2CAE774
  %s.i = fmul double %_31.1, %z.i
  %_11.i = fmul double %z.i, 0x3F811110896EFBB2
  %_10.i = fadd double %_11.i, 0xBFC5555554CBAC77
  %_9.i = fmul double %s.i, %_10.i
  %_8.i = fadd double %_31.1, %_9.i
  %_13.i = fmul double %s.i, %w.i
  %_12.i = fmul double %_13.i, %r.i
  %_7.i = fadd double %_12.i, %_8.i
  %_0.i9 = fptrunc double %_7.i to float
  br label %bb46
bb38:
  %z.i10 = fmul double %_31.1, %_31.1
  %w.i11 = fmul double %z.i10, %z.i10
  %_5.i12 = fmul double %z.i10, 0x3EF99342E0EE5069
  %r.i13 = fadd double %_5.i12, 0xBF56C087E80F1E27
  %_9.i14 = fmul double %z.i10, 0x3FDFFFFFFD0C5E81
  %4 = fsub double 1.000000e+00, %_9.i14
  %_10.i15 = fmul double %w.i11, 0x3FA55553E1053A42
  %_7.i16 = fadd double %4, %_10.i15
  %_12.i17 = fmul double %z.i10, %w.i11
  %_11.i18 = fmul double %_12.i17, %r.i13
  %_6.i = fadd double %_7.i16, %_11.i18
  %_0.i19 = fptrunc double %_6.i to float
  br label %bb46
bb37:
  %_33 = fneg double %_31.1
  %z.i20 = fmul double %_31.1, %_31.1
  %w.i21 = fmul double %z.i20, %z.i20
  %_5.i22 = fmul double %z.i20, 0x3EC6CD878C3B46A7
  %r.i23 = fadd double %_5.i22, 0xBF2A00F9E2CAE774
  %s.i24 = fmul double %z.i20, %_33
  %_11.i25 = fmul double %z.i20, 0x3F811110896EFBB2
  %_10.i26 = fadd double %_11.i25, 0xBFC5555554CBAC77
  %_9.i27 = fmul double %s.i24, %_10.i26
  %_8.i28 = fsub double %_9.i27, %_31.1
  %_13.i29 = fmul double %s.i24, %w.i21
  %_12.i30 = fmul double %_13.i29, %r.i23
  %_7.i31 = fadd double %_12.i30, %_8.i28
  %_0.i32 = fptrunc double %_7.i31 to float
  br label %bb46
bb36:
  %z.i33 = fmul double %_31.1, %_31.1
  %w.i34 = fmul double %z.i33, %z.i33
  %_5.i35 = fmul double %z.i33, 0x3EF99342E0EE5069
  %r.i36 = fadd double %_5.i35, 0xBF56C087E80F1E27
  %_9.i37 = fmul double %z.i33, 0x3FDFFFFFFD0C5E81
  %5 = fsub double 1.000000e+00, %_9.i37
  %_10.i38 = fmul double %w.i34, 0x3FA55553E1053A42
  %_7.i39 = fadd double %5, %_10.i38
  %_12.i40 = fmul double %z.i33, %w.i34
  %_11.i41 = fmul double %_12.i40, %r.i36
  %_6.i42 = fadd double %_7.i39, %_11.i41
  %_0.i43 = fptrunc double %_6.i42 to float
  %6 = fneg float %_0.i43
  br label %bb46
bb46:
  %_0.sroa.0.0 = phi float [ 1.000000e+00, %bb4 ], [ %_0.i128, %bb6 ], [ %9, %bb10 ], [ %_0.i117, %bb16 ], [ %_0.i104, %bb18 ], [ %_0.i54, %bb22 ], [ %_0.i80, %bb28 ], [ %_0.i67, %bb30 ], [ %3, %bb32 ], [ %_0.i19, %bb38 ], [ %_0.i32, %bb37 ], [ %6, %bb36 ], [ %_0.i9, %bb35 ]
  ret float %_0.sroa.0.0
bb27:
  br i1 %sign.not, label %bb30, label %bb28
bb22:
  %_24.sroa.0.0.v = select i1 %sign.not, double 0xC01921FB54442D18, double 0x401921FB54442D18
  %_24.sroa.0.0 = fadd double %_24.sroa.0.0.v, %x64
  %z.i44 = fmul double %_24.sroa.0.0, %_24.sroa.0.0
  %w.i45 = fmul double %z.i44, %z.i44
  %_5.i46 = fmul double %z.i44, 0x3EF99342E0EE5069
  %r.i47 = fadd double %_5.i46, 0xBF56C087E80F1E27
  %_9.i48 = fmul double %z.i44, 0x3FDFFFFFFD0C5E81
  %7 = fsub double 1.000000e+00, %_9.i48
  %_10.i49 = fmul double %w.i45, 0x3FA55553E1053A42
  %_7.i50 = fadd double %7, %_10.i49
  %_12.i51 = fmul double %z.i44, %w.i45
  %_11.i52 = fmul double %_12.i51, %r.i47
  %_6.i53 = fadd double %_7.i50, %_11.i52
  %_0.i54 = fptrunc double %_6.i53 to float
  br label %bb46
bb30:
  %_27 = fadd double %x64, 0xC012D97C7F3321D2
  %z.i55 = fmul double %_27, %_27
  %w.i56 = fmul double %z.i55, %z.i55
  %_5.i57 = fmul double %z.i55, 0x3EC6CD878C3B46A7
  %r.i58 = fadd double %_5.i57, 0xBF2A00F9E2CAE774
  %s.i59 = fmul double %_27, %z.i55
  %_11.i60 = fmul double %z.i55, 0x3F811110896EFBB2
  %_10.i61 = fadd double %_11.i60, 0xBFC5555554CBAC77
  %_9.i62 = fmul double %s.i59, %_10.i61
  %_8.i63 = fadd double %_27, %_9.i62
  %_13.i64 = fmul double %s.i59, %w.i56
  %_12.i65 = fmul double %_13.i64, %r.i58
  %_7.i66 = fadd double %_12.i65, %_8.i63
  %_0.i67 = fptrunc double %_7.i66 to float
  br label %bb46
bb28:
  %_25 = fsub double 0xC012D97C7F3321D2, %x64
  %z.i68 = fmul double %_25, %_25
  %w.i69 = fmul double %z.i68, %z.i68
  %_5.i70 = fmul double %z.i68, 0x3EC6CD878C3B46A7
  %r.i71 = fadd double %_5.i70, 0xBF2A00F9E2CAE774
  %s.i72 = fmul double %_25, %z.i68
  %_11.i73 = fmul double %z.i68, 0x3F811110896EFBB2
  %_10.i74 = fadd double %_11.i73, 0xBFC5555554CBAC77
  %_9.i75 = fmul double %s.i72, %_10.i74
  %_8.i76 = fadd double %_25, %_9.i75
  %_13.i77 = fmul double %s.i72, %w.i69
  %_12.i78 = fmul double %_13.i77, %r.i71
  %_7.i79 = fadd double %_12.i78, %_8.i76
  %_0.i80 = fptrunc double %_7.i79 to float
  br label %bb46
bb15:
  br i1 %sign.not, label %bb18, label %bb16
bb10:
  %_18.sroa.0.0.v = select i1 %sign.not, double 0xC00921FB54442D18, double 0x400921FB54442D18
  %_18.sroa.0.0 = fadd double %_18.sroa.0.0.v, %x64
  %z.i81 = fmul double %_18.sroa.0.0, %_18.sroa.0.0
  %w.i82 = fmul double %z.i81, %z.i81
  %_5.i83 = fmul double %z.i81, 0x3EF99342E0EE5069
  %r.i84 = fadd double %_5.i83, 0xBF56C087E80F1E27
  %_9.i85 = fmul double %z.i81, 0x3FDFFFFFFD0C5E81
  %8 = fsub double 1.000000e+00, %_9.i85
  %_10.i86 = fmul double %w.i82, 0x3FA55553E1053A42
  %_7.i87 = fadd double %8, %_10.i86
  %_12.i88 = fmul double %z.i81, %w.i82
  %_11.i89 = fmul double %_12.i88, %r.i84
  %_6.i90 = fadd double %_7.i87, %_11.i89
  %_0.i91 = fptrunc double %_6.i90 to float
  %9 = fneg float %_0.i91
  br label %bb46
bb18:
  %_20 = fsub double 0x3FF921FB54442D18, %x64
  %z.i92 = fmul double %_20, %_20
  %w.i93 = fmul double %z.i92, %z.i92
  %_5.i94 = fmul double %z.i92, 0x3EC6CD878C3B46A7
  %r.i95 = fadd double %_5.i94, 0xBF2A00F9E2CAE774
  %s.i96 = fmul double %_20, %z.i92
  %_11.i97 = fmul double %z.i92, 0x3F811110896EFBB2
  %_10.i98 = fadd double %_11.i97, 0xBFC5555554CBAC77
  %_9.i99 = fmul double %s.i96, %_10.i98
  %_8.i100 = fadd double %_20, %_9.i99
  %_13.i101 = fmul double %s.i96, %w.i93
  %_12.i102 = fmul double %_13.i101, %r.i95
  %_7.i103 = fadd double %_12.i102, %_8.i100
  %_0.i104 = fptrunc double %_7.i103 to float
  br label %bb46
bb16:
  %_19 = fadd double %x64, 0x3FF921FB54442D18
  %z.i105 = fmul double %_19, %_19
  %w.i106 = fmul double %z.i105, %z.i105
  %_5.i107 = fmul double %z.i105, 0x3EC6CD878C3B46A7
  %r.i108 = fadd double %_5.i107, 0xBF2A00F9E2CAE774
  %s.i109 = fmul double %_19, %z.i105
  %_11.i110 = fmul double %z.i105, 0x3F811110896EFBB2
  %_10.i111 = fadd double %_11.i110, 0xBFC5555554CBAC77
  %_9.i112 = fmul double %s.i109, %_10.i111
  %_8.i113 = fadd double %_19, %_9.i112
  %_13.i114 = fmul double %s.i109, %w.i106
  %_12.i115 = fmul double %_13.i114, %r.i108
  %_7.i116 = fadd double %_12.i115, %_8.i113
  %_0.i117 = fptrunc double %_7.i116 to float
  br label %bb46
bb6:
  %z.i118 = fmul double %x64, %x64
  %w.i119 = fmul double %z.i118, %z.i118
  %_5.i120 = fmul double %z.i118, 0x3EF99342E0EE5069
  %r.i121 = fadd double %_5.i120, 0xBF56C087E80F1E27
  %_9.i122 = fmul double %z.i118, 0x3FDFFFFFFD0C5E81
  %10 = fsub double 1.000000e+00, %_9.i122
  %_10.i123 = fmul double %w.i119, 0x3FA55553E1053A42
  %_7.i124 = fadd double %10, %_10.i123
  %_12.i125 = fmul double %z.i118, %w.i119
  %_11.i126 = fmul double %_12.i125, %r.i121
  %_6.i127 = fadd double %_7.i124, %_11.i126
  %_0.i128 = fptrunc double %_6.i127 to float
  br label %bb46
bb4:
  %11 = fadd float %x, 0x4770000000000000
  store float %11, ptr %_13.sroa.0, align 4
  %_13.sroa.0.0._13.sroa.0.0._13.sroa.0.0._13.sroa.0.0. = load volatile float, ptr %_13.sroa.0, align 4
  br label %bb46
}
define internal double @w.lib.378(double %0) nounwind {
start:
  %_10.sroa.0 = alloca double, align 8
  %1 = call double @llvm.fabs.f64(double %0)
  %2 = bitcast double %1 to i64
  %_5 = icmp ult i64 %2, 4604418530035630080
  br i1 %_5, label %bb3, label %bb9
bb9:
  %_16 = icmp ult i64 %2, 4649454526309335040
  br i1 %_16, label %bb10, label %bb11
bb3:
  %_6 = icmp ult i64 %2, 4490088828488384512
  br i1 %_6, label %bb4, label %bb7
bb11:
  %_6.i = fadd double %1, 0xC0962066151ADD8B
  %_5.i = call double @w.lib.323(double %_6.i)
  %_4.i = fmul double %_5.i, 0x7FC0000000000000
  %_0.i9 = fmul double %_4.i, 0x7FC0000000000000
  br label %bb16
bb10:
  %t = call double @w.lib.323(double %1)
  %_19 = fdiv double 1.000000e+00, %t
  %_18 = fadd double %t, %_19
  %3 = fmul double %_18, 5.000000e-01
  br label %bb16
bb16:
  %_0.sroa.0.0 = phi double [ 1.000000e+00, %bb4 ], [ %4, %bb7 ], [ %3, %bb10 ], [ %_0.i9, %bb11 ]
  ret double %_0.sroa.0.0
bb7:
  %t1 = call double @w.lib.379(double %1)
  %_13 = fmul double %t1, %t1
  %_15 = fadd double %t1, 1.000000e+00
  %_14 = fmul double %_15, 2.000000e+00
  %_12 = fdiv double %_13, %_14
  %4 = fadd double %_12, 1.000000e+00
  br label %bb16
bb4:
  %5 = fadd double %1, 0x4770000000000000
  store double %5, ptr %_10.sroa.0, align 8
  %_10.sroa.0.0._10.sroa.0.0._10.sroa.0.0._10.sroa.0.0. = load volatile double, ptr %_10.sroa.0, align 8
  br label %bb16
}
define internal float @w.lib.380(float %x) nounwind {
start:
  %_0.i = bitcast float %x to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_10 = icmp ugt i32 %1, 2139095039
  br i1 %_10, label %bb2, label %bb3
bb3:
  %_16 = icmp ult i32 %1, 1062731776
  br i1 %_16, label %bb4, label %bb5
bb2:
  %2 = lshr i32 %_0.i, 30
  %3 = and i32 %2, 2
  %_13 = uitofp nneg i32 %3 to float
  %_12 = fsub float 1.000000e+00, %_13
  %_15 = fdiv float 1.000000e+00, %x
  %4 = fadd float %_15, %_12
  br label %bb18
bb5:
  %_39 = icmp ult i32 %1, 1086324736
  br i1 %_39, label %bb8, label %bb12
bb4:
  %_18 = icmp ult i32 %1, 830472192
  br i1 %_18, label %bb6, label %bb7
bb8:
  %_41 = call float @w.lib.381(i32 %1, float %x)
  br label %bb12
bb12:
  %_41.pn = phi float [ %_41, %bb8 ], [ 0x3870000000000000, %bb5 ]
  %y.sroa.0.0 = fsub float 1.000000e+00, %_41.pn
  %5 = icmp sgt i32 %_0.i, -1
  br i1 %5, label %bb18, label %bb13
bb13:
  %6 = fneg float %y.sroa.0.0
  br label %bb18
bb18:
  %_0.sroa.0.0 = phi float [ %4, %bb2 ], [ %11, %bb6 ], [ %10, %bb7 ], [ %6, %bb13 ], [ %y.sroa.0.0, %bb12 ]
  ret float %_0.sroa.0.0
bb7:
  %z = fmul float %x, %x
  %_28 = fmul float %z, 0x3EF8EAD620000000
  %7 = fsub float 0xBF77A29120000000, %_28
  %_26 = fmul float %z, %7
  %_25 = fadd float %_26, 0xBF9D2A51E0000000
  %_24 = fmul float %z, %_25
  %_23 = fadd float %_24, 0xBFD4CD7D60000000
  %_22 = fmul float %z, %_23
  %r = fadd float %_22, 0x3FC06EBA80000000
  %_37 = fmul float %z, 0x3ED09C4340000000
  %8 = fsub float 0x3F215DC920000000, %_37
  %_35 = fmul float %z, %8
  %_34 = fadd float %_35, 0x3F74D022C0000000
  %_33 = fmul float %z, %_34
  %_32 = fadd float %_33, 0x3FB0A54C60000000
  %_31 = fmul float %z, %_32
  %_30 = fadd float %_31, 0x3FD97779C0000000
  %_29 = fmul float %z, %_30
  %s = fadd float %_29, 1.000000e+00
  %9 = fdiv float %r, %s
  %_38 = fmul float %x, %9
  %10 = fadd float %x, %_38
  br label %bb18
bb6:
  %_20 = fmul float %x, 8.000000e+00
  %_21 = fmul float %x, 0x3FF06EBA80000000
  %_19 = fadd float %_20, %_21
  %11 = fmul float %_19, 1.250000e-01
  br label %bb18
}
define internal float @w.lib.381(i32 %0, float %1) nounwind {
start:
  %_6 = icmp ult i32 %0, 1067450368
  %2 = call float @llvm.fabs.f32(float %1)
  br i1 %_6, label %bb1, label %bb3
bb3:
  %_9 = fmul float %1, %1
  %s = fdiv float 1.000000e+00, %_9
  %_12 = icmp ult i32 %0, 1077336941
  br i1 %_12, label %bb5, label %bb6
bb1:
  %s.i = fadd float %2, -1.000000e+00
  %_16.i = fmul float %s.i, 0x3F61BF3800000000
  %3 = fsub float 0x3FA22A3660000000, %_16.i
  %_14.i = fmul float %s.i, %3
  %_13.i = fadd float %_14.i, 0xBFBC639840000000
  %_12.i = fmul float %s.i, %_13.i
  %_11.i = fadd float %_12.i, 0x3FD45FCA80000000
  %_10.i = fmul float %s.i, %_11.i
  %_9.i = fadd float %_10.i, 0xBFD7D24100000000
  %_8.i = fmul float %s.i, %_9.i
  %_7.i = fadd float %_8.i, 0x3FDA8D00A0000000
  %_6.i = fmul float %s.i, %_7.i
  %p.i = fadd float %_6.i, 0xBF6359B8C0000000
  %_27.i = fmul float %s.i, 0x3F888B5460000000
  %_26.i = fadd float %_27.i, 0x3F8BEDC260000000
  %_25.i = fmul float %s.i, %_26.i
  %_24.i = fadd float %_25.i, 0x3FC02660E0000000
  %_23.i = fmul float %s.i, %_24.i
  %_22.i = fadd float %_23.i, 0x3FB2635CE0000000
  %_21.i = fmul float %s.i, %_22.i
  %_20.i = fadd float %_21.i, 0x3FE14AF0A0000000
  %_19.i = fmul float %s.i, %_20.i
  %_18.i = fadd float %_19.i, 0x3FBB3E6620000000
  %_17.i = fmul float %s.i, %_18.i
  %q.i = fadd float %_17.i, 1.000000e+00
  %_28.i = fdiv float %p.i, %q.i
  %_0.i = fsub float 0x3FC3D4FA80000000, %_28.i
  br label %bb12
bb6:
  %_51 = fmul float %s, 0x407E384EA0000000
  %4 = fsub float 0xC090046160000000, %_51
  %_49 = fmul float %s, %4
  %_48 = fadd float %_49, 0xC083EC8820000000
  %_47 = fmul float %s, %_48
  %_46 = fadd float %_47, 0xC064145D40000000
  %_45 = fmul float %s, %_46
  %_44 = fadd float %_45, 0xC031C20960000000
  %_43 = fmul float %s, %_44
  %_42 = fadd float %_43, 0xBFE993BA80000000
  %_41 = fmul float %s, %_42
  %5 = fadd float %_41, 0xBF84341240000000
  %_64 = fmul float %s, 0x403670E240000000
  %6 = fsub float 0x407DA874E0000000, %_64
  br label %bb7
bb5:
  %_25 = fmul float %s, 0x4023A0EFC0000000
  %7 = fsub float 0xC054526560000000, %_25
  %_23 = fmul float %s, %7
  %_22 = fadd float %_23, 0xC067135CE0000000
  %_21 = fmul float %s, %_22
  %_20 = fadd float %_21, 0xC0644CB180000000
  %_19 = fmul float %s, %_20
  %_18 = fadd float %_19, 0xC04F300AE0000000
  %_17 = fmul float %s, %_18
  %_16 = fadd float %_17, 0xC0251E0440000000
  %_15 = fmul float %s, %_16
  %_14 = fadd float %_15, 0xBFE63416E0000000
  %_13 = fmul float %s, %_14
  %8 = fadd float %_13, 0xBF84341260000000
  %_40 = fmul float %s, 0x3FAEEFF2E0000000
  %9 = fsub float 0x401A47EF80000000, %_40
  %_38 = fmul float %s, %9
  %_37 = fadd float %_38, 0x405B28A3E0000000
  br label %bb7
bb7:
  %_37.sink = phi float [ %_37, %bb5 ], [ %6, %bb6 ]
  %.sink10 = phi float [ 0x407AD02160000000, %bb5 ], [ 0x40A3F219C0000000, %bb6 ]
  %.sink9 = phi float [ 0x40842B1920000000, %bb5 ], [ 0x40A8FFB760000000, %bb6 ]
  %.sink8 = phi float [ 0x407B290DE0000000, %bb5 ], [ 0x409802EB20000000, %bb6 ]
  %.sink7 = phi float [ 0x4061350C60000000, %bb5 ], [ 0x40745CAE20000000, %bb6 ]
  %.sink = phi float [ 0x4033A6B9C0000000, %bb5 ], [ 0x403E568B20000000, %bb6 ]
  %r.sroa.0.0 = phi float [ %8, %bb5 ], [ %5, %bb6 ]
  %_36 = fmul float %s, %_37.sink
  %_35 = fadd float %_36, %.sink10
  %_34 = fmul float %s, %_35
  %_33 = fadd float %_34, %.sink9
  %_32 = fmul float %s, %_33
  %_31 = fadd float %_32, %.sink8
  %_30 = fmul float %s, %_31
  %_29 = fadd float %_30, %.sink7
  %_28 = fmul float %s, %_29
  %_27 = fadd float %_28, %.sink
  %big_s.sroa.0.0.in = fmul float %s, %_27
  %big_s.sroa.0.0 = fadd float %big_s.sroa.0.0.in, 1.000000e+00
  %_0.i5 = bitcast float %2 to i32
  %_67 = and i32 %_0.i5, 2147475456
  %_0.i6 = bitcast i32 %_67 to float
  %10 = fmul float %_0.i6, %_0.i6
  %_70 = fsub float -5.625000e-01, %10
  %_69 = call float @w.lib.382(float %_70)
  %_76 = fsub float %_0.i6, %2
  %_78 = fadd float %2, %_0.i6
  %_75 = fmul float %_76, %_78
  %_80 = fdiv float %r.sroa.0.0, %big_s.sroa.0.0
  %_74 = fadd float %_75, %_80
  %_73 = call float @w.lib.382(float %_74)
  %_68 = fmul float %_69, %_73
  %11 = fdiv float %_68, %2
  br label %bb12
bb12:
  %_0.sroa.0.0 = phi float [ %_0.i, %bb1 ], [ %11, %bb7 ]
  ret float %_0.sroa.0.0
}
define internal float @w.lib.383(float %x) nounwind {
start:
  %_0.i = bitcast float %x to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_10 = icmp ugt i32 %1, 2139095039
  br i1 %_10, label %bb2, label %bb3
bb3:
  %_15 = icmp ult i32 %1, 1062731776
  br i1 %_15, label %bb4, label %bb5
bb2:
  %2 = lshr i32 %_0.i, 30
  %3 = and i32 %2, 2
  %_12 = uitofp nneg i32 %3 to float
  %_14 = fdiv float 1.000000e+00, %x
  %4 = fadd float %_14, %_12
  br label %bb25
bb5:
  %_41 = icmp ult i32 %1, 1105199104
  %5 = icmp sgt i32 %_0.i, -1
  br i1 %_41, label %bb12, label %bb13
bb4:
  %_17 = icmp ult i32 %1, 595591168
  br i1 %_17, label %bb6, label %bb7
bb13:
  br i1 %5, label %bb25, label %bb19
bb12:
  %6 = call float @w.lib.381(i32 %1, float %x)
  br i1 %5, label %bb25, label %bb14
bb19:
  br label %bb25
bb25:
  %_0.sroa.0.0 = phi float [ %4, %bb2 ], [ %11, %bb6 ], [ %12, %bb11 ], [ %13, %bb10 ], [ 0.000000e+00, %bb13 ], [ %7, %bb14 ], [ 2.000000e+00, %bb19 ], [ %6, %bb12 ]
  ret float %_0.sroa.0.0
bb14:
  %7 = fsub float 2.000000e+00, %6
  br label %bb25
bb7:
  %z = fmul float %x, %x
  %_25 = fmul float %z, 0x3EF8EAD620000000
  %8 = fsub float 0xBF77A29120000000, %_25
  %_23 = fmul float %z, %8
  %_22 = fadd float %_23, 0xBF9D2A51E0000000
  %_21 = fmul float %z, %_22
  %_20 = fadd float %_21, 0xBFD4CD7D60000000
  %_19 = fmul float %z, %_20
  %r = fadd float %_19, 0x3FC06EBA80000000
  %_34 = fmul float %z, 0x3ED09C4340000000
  %9 = fsub float 0x3F215DC920000000, %_34
  %_32 = fmul float %z, %9
  %_31 = fadd float %_32, 0x3F74D022C0000000
  %_30 = fmul float %z, %_31
  %_29 = fadd float %_30, 0x3FB0A54C60000000
  %_28 = fmul float %z, %_29
  %_27 = fadd float %_28, 0x3FD97779C0000000
  %_26 = fmul float %z, %_27
  %s = fadd float %_26, 1.000000e+00
  %y = fdiv float %r, %s
  %10 = icmp slt i32 %_0.i, 0
  %_35 = icmp ult i32 %1, 1048576000
  %or.cond = select i1 %10, i1 true, i1 %_35
  br i1 %or.cond, label %bb11, label %bb10
bb6:
  %11 = fsub float 1.000000e+00, %x
  br label %bb25
bb11:
  %_37 = fmul float %x, %y
  %_36 = fadd float %x, %_37
  %12 = fsub float 1.000000e+00, %_36
  br label %bb25
bb10:
  %_39 = fadd float %x, -5.000000e-01
  %_40 = fmul float %x, %y
  %_38 = fadd float %_39, %_40
  %13 = fsub float 5.000000e-01, %_38
  br label %bb25
}
define internal double @w.lib.384(double %0) nounwind {
start:
  %_30.sroa.0 = alloca float, align 4
  %_0.i12 = bitcast double %0 to i64
  %_15 = lshr i64 %_0.i12, 32
  %ix = and i64 %_15, 2147483647
  %_16 = icmp ugt i64 %ix, 1083174911
  br i1 %_16, label %bb11, label %bb30
bb30:
  %_35 = icmp ult i64 %ix, 1016070144
  br i1 %_35, label %bb31, label %bb33
bb11:
  %_17 = icmp ugt i64 %ix, 1083179007
  %1 = icmp sgt i64 %_0.i12, -1
  %or.cond = and i1 %1, %_17
  br i1 %or.cond, label %bb13, label %bb15
bb31:
  %2 = fadd double %0, 1.000000e+00
  br label %bb43
bb33:
  %_37 = fadd double %0, 0x42B8000000000000
  %_0.i13 = bitcast double %_37 to i64
  %3 = trunc i64 %_0.i13 to i32
  %_0.i = add i32 %3, 128
  %ki = ashr i32 %_0.i, 8
  %uf = fadd double %_37, 0xC2B8000000000000
  %4 = fsub double %0, %uf
  %5 = shl i32 %_0.i, 1
  %6 = and i32 %5, 510
  %_53 = zext nneg i32 %6 to i64
  %_0.i.i = getelementptr inbounds i64, ptr @w.lib.87, i64 %_53
  %_5021 = load double, ptr %_0.i.i, align 8
  %_0.i.i16 = getelementptr inbounds i8, ptr %_0.i.i, i64 8
  %_5722 = load double, ptr %_0.i.i16, align 8
  %7 = fsub double %4, %_5722
  %_64 = fmul double %_5021, %7
  %_76 = fmul double %7, 0x3F55D88003875C74
  %_75 = fadd double %_76, 0x3F83B2AB88F70400
  %_73 = fmul double %7, %_75
  %_72 = fadd double %_73, 0x3FAC6B08D704A0A6
  %_70 = fmul double %7, %_72
  %_69 = fadd double %_70, 0x3FCEBFBDFF82C575
  %_67 = fmul double %7, %_69
  %_66 = fadd double %_67, 0x3FE62E42FEFA39EF
  %_63 = fmul double %_64, %_66
  %r = fadd double %_5021, %_63
  %8 = call double @w.lib.332(double %r, i32 %ki)
  br label %bb43
bb15:
  %_19 = icmp ugt i64 %ix, 2146435071
  br i1 %_19, label %bb16, label %bb17
bb13:
  %9 = fmul double %0, 0x7FE0000000000000
  br label %bb43
bb17:
  br i1 %1, label %bb33, label %bb18
bb16:
  %10 = fdiv double -1.000000e+00, %0
  br label %bb43
bb18:
  %_21 = fcmp ugt double %0, -1.075000e+03
  br i1 %_21, label %bb21, label %bb26.thread18
bb26.thread18:
  %_3119 = fdiv double 0xB6A0000000000000, %0
  %11 = fptrunc double %_3119 to float
  store float %11, ptr %_30.sroa.0, align 4
  %_30.sroa.0.0._30.sroa.0.0._30.sroa.0.0._30.sroa.0.0.20 = load volatile float, ptr %_30.sroa.0, align 4
  br label %bb43
bb21:
  %_25 = fadd double %0, 0xC330000000000000
  %_24 = fadd double %_25, 0x4330000000000000
  %_23 = fcmp une double %_24, %0
  br i1 %_23, label %bb26, label %bb33
bb26:
  %_31 = fdiv double 0xB6A0000000000000, %0
  %12 = fptrunc double %_31 to float
  store float %12, ptr %_30.sroa.0, align 4
  %_30.sroa.0.0._30.sroa.0.0._30.sroa.0.0._30.sroa.0.0. = load volatile float, ptr %_30.sroa.0, align 4
  br label %bb33
bb43:
  %_0.sroa.0.0 = phi double [ %9, %bb13 ], [ %10, %bb16 ], [ %8, %bb33 ], [ %2, %bb31 ], [ 0.000000e+00, %bb26.thread18 ]
  ret double %_0.sroa.0.0
}
define internal float @w.lib.382(float %0) nounwind {
start:
  %_45.sroa.0 = alloca float, align 4
  %_18.sroa.0 = alloca float, align 4
  %_0.i = bitcast float %0 to i32
  %_7 = lshr i32 %_0.i, 31
  %signb.not = icmp sgt i32 %_0.i, -1
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_10 = icmp ugt i32 %2, 1118743631
  br i1 %_10, label %bb4, label %bb15
bb4:
  %_12 = icmp ugt i32 %2, 2139095040
  br i1 %_12, label %bb32, label %bb6
bb15:
  %_25 = icmp ugt i32 %2, 1051816472
  br i1 %_25, label %bb16, label %bb21
bb6:
  %_14 = icmp ugt i32 %2, 1118925335
  br i1 %_14, label %bb7, label %bb8
bb8:
  br i1 %signb.not, label %bb17, label %bb10.thread
bb10.thread:
  %3 = fdiv float 0xB810000000000000, %0
  store float %3, ptr %_18.sroa.0, align 4
  %_18.sroa.0.0._18.sroa.0.0._18.sroa.0.0._18.sroa.0.0.18 = load volatile float, ptr %_18.sroa.0, align 4
  br label %bb17
bb7:
  br i1 %signb.not, label %bb9, label %bb10
bb10:
  %4 = fdiv float 0xB810000000000000, %0
  store float %4, ptr %_18.sroa.0, align 4
  %_18.sroa.0.0._18.sroa.0.0._18.sroa.0.0._18.sroa.0.0. = load volatile float, ptr %_18.sroa.0, align 4
  %_21 = icmp ugt i32 %2, 1120924084
  br i1 %_21, label %bb32, label %bb17
bb9:
  %5 = fmul float %0, 0x47E0000000000000
  br label %bb32
bb21:
  %_41 = icmp ugt i32 %2, 956301312
  br i1 %_41, label %bb25, label %bb23
bb16:
  %_27 = icmp ugt i32 %2, 1065686418
  br i1 %_27, label %bb17, label %bb19
bb23:
  %6 = fadd float %0, 0x47E0000000000000
  store float %6, ptr %_45.sroa.0, align 4
  %_45.sroa.0.0._45.sroa.0.0._45.sroa.0.0._45.sroa.0.0. = load volatile float, ptr %_45.sroa.0, align 4
  %7 = fadd float %0, 1.000000e+00
  br label %bb32
bb25:
  %hi.sroa.0.0 = phi float [ %12, %bb20 ], [ %0, %bb21 ]
  %lo.sroa.0.0 = phi float [ %13, %bb20 ], [ 0.000000e+00, %bb21 ]
  %k.sroa.0.0 = phi i32 [ %k.sroa.0.1, %bb20 ], [ 0, %bb21 ]
  %x.sroa.0.0 = phi float [ %14, %bb20 ], [ %0, %bb21 ]
  %xx = fmul float %x.sroa.0.0, %x.sroa.0.0
  %_54 = fmul float %xx, 0x3F66AA42A0000000
  %8 = fsub float 0x3FC55551E0000000, %_54
  %_52 = fmul float %xx, %8
  %c = fsub float %x.sroa.0.0, %_52
  %_59 = fmul float %x.sroa.0.0, %c
  %_60 = fsub float 2.000000e+00, %c
  %_58 = fdiv float %_59, %_60
  %_57 = fsub float %_58, %lo.sroa.0.0
  %_56 = fadd float %hi.sroa.0.0, %_57
  %y = fadd float %_56, 1.000000e+00
  %9 = icmp eq i32 %k.sroa.0.0, 0
  br i1 %9, label %bb32, label %bb27
bb19:
  %_35 = xor i32 %_7, 1
  %10 = sub nsw i32 %_35, %_7
  br label %bb20
bb17:
  %_29 = fmul float %0, 0x3FF7154760000000
  %_34 = zext nneg i32 %_7 to i64
  %_0.i.i = getelementptr inbounds float, ptr @w.lib.88, i64 %_34
  %_31 = load float, ptr %_0.i.i, align 4
  %_28 = fadd float %_29, %_31
  %11 = call i32 @llvm.fptosi.sat.i32.f32(float %_28)
  br label %bb20
bb20:
  %k.sroa.0.1 = phi i32 [ %11, %bb17 ], [ %10, %bb19 ]
  %kf = sitofp i32 %k.sroa.0.1 to float
  %_38 = fmul float %kf, 0x3FE62E4000000000
  %12 = fsub float %0, %_38
  %13 = fmul float %kf, 0x3EB7F7D1C0000000
  %14 = fsub float %12, %13
  br label %bb25
bb27:
  %15 = call float @w.lib.385(float %y, i32 %k.sroa.0.0)
  br label %bb32
bb32:
  %_0.sroa.0.0 = phi float [ %5, %bb9 ], [ %0, %bb4 ], [ 0.000000e+00, %bb10 ], [ %15, %bb27 ], [ %7, %bb23 ], [ %y, %bb25 ]
  ret float %_0.sroa.0.0
}
define internal double @w.lib.393(double %0) nounwind {
start:
  %_0.i = bitcast double %0 to i64
  %_17 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_17 to i32
  %_21.not = icmp sgt i64 %_0.i, -1
  %or.cond = icmp sgt i64 %_0.i, 4503599627370495
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_33 = icmp ugt i64 %_0.i, 9218868437227405311
  br i1 %_33, label %bb27, label %bb14
bb14:
  %2 = icmp eq i64 %_17, 1072693248
  br i1 %2, label %bb15, label %bb20
bb15:
  %_36.mask = and i64 %_0.i, 4294967295
  %3 = icmp eq i64 %_36.mask, 0
  br i1 %3, label %bb27, label %bb20
bb20:
  %hx.sroa.0.0 = phi i32 [ %19, %bb10 ], [ 1072693248, %bb15 ], [ %1, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -1077, %bb10 ], [ -1023, %bb15 ], [ -1023, %bb14 ]
  %ui.sroa.0.0 = phi i64 [ %_0.i30, %bb10 ], [ %_0.i, %bb15 ], [ %_0.i, %bb14 ]
  %4 = add i32 %hx.sroa.0.0, 614242
  %_40 = lshr i32 %4, 20
  %5 = add nsw i32 %k.sroa.0.0, %_40
  %_42 = and i32 %4, 1048575
  %6 = add nuw nsw i32 %_42, 1072079006
  %_44 = zext nneg i32 %6 to i64
  %_43 = shl nuw nsw i64 %_44, 32
  %_45 = and i64 %ui.sroa.0.0, 4294967295
  %7 = or disjoint i64 %_43, %_45
  %_0.i27 = bitcast i64 %7 to double
  %f = fadd double %_0.i27, -1.000000e+00
  %_46 = fmul double %f, 5.000000e-01
  %hfsq = fmul double %f, %_46
  %_47 = fadd double %f, 2.000000e+00
  %s = fdiv double %f, %_47
  %z = fmul double %s, %s
  %8 = fmul double %z, %z
  %_53 = fmul double %8, 0x3FC39A09D078C69F
  %_52 = fadd double %_53, 0x3FCC71C51D8E78AF
  %_50 = fmul double %8, %_52
  %_49 = fadd double %_50, 0x3FD999999997FA04
  %t1 = fmul double %8, %_49
  %_62 = fmul double %8, 0x3FC2F112DF3E5244
  %_61 = fadd double %_62, 0x3FC7466496CB03DE
  %_59 = fmul double %8, %_61
  %_58 = fadd double %_59, 0x3FD2492494229359
  %_56 = fmul double %8, %_58
  %_55 = fadd double %_56, 0x3FE5555555555593
  %t2 = fmul double %z, %_55
  %r = fadd double %t1, %t2
  %9 = fsub double %f, %hfsq
  %_0.i28 = bitcast double %9 to i64
  %10 = and i64 %_0.i28, -4294967296
  %_0.i29 = bitcast i64 %10 to double
  %_66 = fsub double %f, %_0.i29
  %_65 = fsub double %_66, %hfsq
  %_69 = fadd double %hfsq, %r
  %_68 = fmul double %s, %_69
  %lo = fadd double %_65, %_68
  %11 = fmul double %_0.i29, 0x3FF7154765200000
  %_72 = fadd double %lo, %_0.i29
  %_71 = fmul double %_72, 0x3DE705FC2EEFA200
  %_73 = fmul double %lo, 0x3FF7154765200000
  %12 = fadd double %_73, %_71
  %_0.i.i = sitofp i32 %5 to double
  %13 = fadd double %11, %_0.i.i
  %_77 = fsub double %_0.i.i, %13
  %_76 = fadd double %11, %_77
  %14 = fadd double %_76, %12
  %15 = fadd double %13, %14
  br label %bb27
bb6:
  %16 = fcmp oeq double %0, 0.000000e+00
  br i1 %16, label %bb7, label %bb8
bb7:
  %_25 = fmul double %0, %0
  %17 = fdiv double -1.000000e+00, %_25
  br label %bb27
bb8:
  br i1 %_21.not, label %bb10, label %bb9
bb10:
  %18 = fmul double %0, 0x4350000000000000
  %_0.i30 = bitcast double %18 to i64
  %_31 = lshr i64 %_0.i30, 32
  %19 = trunc nuw i64 %_31 to i32
  br label %bb20
bb9:
  %_29 = fsub double %0, %0
  %20 = fdiv double %_29, 0.000000e+00
  br label %bb27
bb27:
  %_0.sroa.0.0 = phi double [ %17, %bb7 ], [ %20, %bb9 ], [ %15, %bb20 ], [ %0, %bb12 ], [ 0.000000e+00, %bb15 ]
  ret double %_0.sroa.0.0
}
define internal float @w.lib.360(float %0) nounwind {
start:
  %_0.i = bitcast float %0 to i32
  %1 = icmp sgt i32 %_0.i, -1
  %or.cond = icmp sgt i32 %_0.i, 8388607
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_17 = icmp ugt i32 %_0.i, 2139095039
  br i1 %_17, label %bb21, label %bb14
bb14:
  %2 = icmp eq i32 %_0.i, 1065353216
  br i1 %2, label %bb21, label %bb17
bb17:
  %ix.sroa.0.0 = phi i32 [ %_0.i18, %bb10 ], [ %_0.i, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -152, %bb10 ], [ -127, %bb14 ]
  %3 = add i32 %ix.sroa.0.0, 4913933
  %_22 = lshr i32 %3, 23
  %4 = add nsw i32 %k.sroa.0.0, %_22
  %_24 = and i32 %3, 8388607
  %5 = add nuw nsw i32 %_24, 1060439283
  %_0.i17 = bitcast i32 %5 to float
  %f = fadd float %_0.i17, -1.000000e+00
  %_27 = fadd float %f, 2.000000e+00
  %s = fdiv float %f, %_27
  %z = fmul float %s, %s
  %w = fmul float %z, %z
  %_32 = fmul float %w, 0x3FCF13C4C0000000
  %_31 = fadd float %_32, 0x3FD999C260000000
  %t1 = fmul float %w, %_31
  %_35 = fmul float %w, 0x3FD23D3DC0000000
  %_34 = fadd float %_35, 0x3FE5555540000000
  %t2 = fmul float %z, %_34
  %r = fadd float %t2, %t1
  %_38 = fmul float %f, 5.000000e-01
  %hfsq = fmul float %f, %_38
  %dk = sitofp i32 %4 to float
  %_44 = fadd float %hfsq, %r
  %_43 = fmul float %s, %_44
  %_45 = fmul float %dk, 0x3EE2FEFA20000000
  %_42 = fadd float %_45, %_43
  %_41 = fsub float %_42, %hfsq
  %_40 = fadd float %f, %_41
  %_46 = fmul float %dk, 0x3FE62E3000000000
  %6 = fadd float %_46, %_40
  br label %bb21
bb6:
  %7 = fcmp oeq float %0, 0.000000e+00
  br i1 %7, label %bb7, label %bb8
bb7:
  %_11 = fmul float %0, %0
  %8 = fdiv float -1.000000e+00, %_11
  br label %bb21
bb8:
  br i1 %1, label %bb10, label %bb9
bb10:
  %9 = fmul float %0, 0x4180000000000000
  %_0.i18 = bitcast float %9 to i32
  br label %bb17
bb9:
  %_14 = fsub float %0, %0
  %10 = fdiv float %_14, 0.000000e+00
  br label %bb21
bb21:
  %_0.sroa.0.0 = phi float [ %8, %bb7 ], [ %6, %bb17 ], [ %10, %bb9 ], [ %0, %bb12 ], [ 0.000000e+00, %bb14 ]
  ret float %_0.sroa.0.0
}
define internal float @w.lib.395(float %x, float %y) nounwind {
start:
  %_0.i = bitcast float %x to i32
  %_0.i93 = bitcast float %y to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %2 = call float @llvm.fabs.f32(float %y)
  %iy = bitcast float %2 to i32
  %3 = icmp eq i32 %iy, 0
  %4 = icmp eq i32 %_0.i, 1065353216
  %or.cond92 = or i1 %4, %3
  br i1 %or.cond92, label %bb148, label %bb6
bb6:
  %_25 = icmp ugt i32 %1, 2139095040
  %_27 = icmp ugt i32 %iy, 2139095040
  %or.cond = or i1 %_25, %_27
  br i1 %or.cond, label %bb10, label %bb9
bb9:
  %_28 = icmp slt i32 %_0.i, 0
  br i1 %_28, label %bb11, label %bb20
bb10:
  %5 = fadd float %x, %y
  br label %bb148
bb20:
  %yisint.sroa.0.0 = phi i32 [ 0, %bb9 ], [ %7, %bb15 ], [ 0, %bb14 ], [ 0, %bb13 ], [ 2, %bb11 ]
  switch i32 %iy, label %bb35 [
    i32 2139095040, label %bb21
    i32 1065353216, label %bb34
  ]
bb11:
  %_29 = icmp ugt i32 %iy, 1266679807
  br i1 %_29, label %bb20, label %bb13
bb13:
  %_30 = icmp ugt i32 %iy, 1065353215
  br i1 %_30, label %bb14, label %bb20
bb14:
  %_31 = lshr i32 %iy, 23
  %_32 = sub nuw nsw i32 150, %_31
  %6 = lshr i32 %iy, %_32
  %_35 = shl i32 %6, %_32
  %_34 = icmp eq i32 %_35, %iy
  br i1 %_34, label %bb15, label %bb20
bb15:
  %_38 = and i32 %6, 1
  %7 = sub nuw nsw i32 2, %_38
  br label %bb20
bb21:
  %_0.i94 = call i8 @llvm.scmp.i8.i32(i32 %1, i32 1065353216)
  switch i8 %_0.i94, label %bb23 [
    i8 -1, label %bb24
    i8 0, label %bb148
    i8 1, label %bb25
  ]
bb23:
  unreachable
bb24:
  %_43 = icmp sgt i32 %_0.i93, -1
  br i1 %_43, label %bb148, label %bb31
bb25:
  %_42 = icmp sgt i32 %_0.i93, -1
  %y. = select i1 %_42, float %y, float 0.000000e+00
  br label %bb148
bb31:
  %8 = fneg float %y
  br label %bb148
bb34:
  %_44 = icmp sgt i32 %_0.i93, -1
  br i1 %_44, label %bb148, label %bb37
bb35:
  switch i32 %_0.i93, label %bb44 [
    i32 1073741824, label %bb39
    i32 1056964608, label %bb41
  ]
bb37:
  %9 = fdiv float 1.000000e+00, %x
  br label %bb148
bb39:
  %10 = fmul float %x, %x
  br label %bb148
bb41:
  %_45 = icmp sgt i32 %_0.i, -1
  br i1 %_45, label %bb42, label %bb44
bb44:
  %11 = icmp eq i32 %1, 0
  %12 = and i32 %_0.i, 1073741823
  %13 = icmp eq i32 %12, 1065353216
  %or.cond2 = or i1 %13, %11
  br i1 %or.cond2, label %bb51, label %bb62
bb42:
  %14 = call float @llvm.sqrt.f32(float %x)
  br label %bb148
bb51:
  %_49 = icmp slt i32 %_0.i93, 0
  %15 = fdiv float 1.000000e+00, %0
  %z.sroa.0.1 = select i1 %_49, float %15, float %0
  br i1 %_28, label %bb54, label %bb148
bb62:
  br i1 %_28, label %bb63, label %bb69
bb54:
  %_52 = add nsw i32 %1, -1065353216
  %16 = or i32 %yisint.sroa.0.0, %_52
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %bb55, label %bb56
bb55:
  %_55 = fsub float %z.sroa.0.1, %z.sroa.0.1
  %18 = fdiv float %_55, %_55
  br label %bb148
bb56:
  %19 = icmp eq i32 %yisint.sroa.0.0, 1
  br i1 %19, label %bb57, label %bb148
bb57:
  %20 = fneg float %z.sroa.0.1
  br label %bb148
bb69:
  %sn.sroa.0.0 = phi float [ -1.000000e+00, %bb66 ], [ 1.000000e+00, %bb63 ], [ 1.000000e+00, %bb62 ]
  %_63 = icmp ugt i32 %iy, 1291845632
  br i1 %_63, label %bb70, label %bb83
bb63:
  switch i32 %yisint.sroa.0.0, label %bb69 [
    i32 0, label %bb64
    i32 1, label %bb66
  ]
bb64:
  %_62 = fsub float %x, %x
  %21 = fdiv float %_62, %_62
  br label %bb148
bb66:
  br label %bb69
bb83:
  %_96 = icmp ult i32 %1, 8388608
  %22 = fmul float %0, 0x4170000000000000
  %_0.i95 = bitcast float %22 to i32
  %23 = select i1 %_96, i32 %_0.i95, i32 %1
  %_100 = ashr i32 %23, 23
  %_99 = select i1 %_96, i32 -151, i32 -127
  %24 = add nsw i32 %_99, %_100
  %25 = and i32 %23, 8388607
  %26 = or disjoint i32 %25, 1065353216
  %_104 = icmp ult i32 %25, 1885298
  br i1 %_104, label %bb93, label %bb89
bb70:
  %_64 = icmp ult i32 %1, 1065353208
  br i1 %_64, label %bb71, label %bb75
bb89:
  %_106 = icmp ult i32 %25, 6140887
  br i1 %_106, label %bb93, label %bb91
bb91:
  %27 = add nsw i32 %24, 1
  %28 = or disjoint i32 %25, 1056964608
  br label %bb93
bb93:
  %n.sroa.0.1 = phi i32 [ %27, %bb91 ], [ %24, %bb83 ], [ %24, %bb89 ]
  %k.sroa.0.0 = phi i32 [ 0, %bb91 ], [ 0, %bb83 ], [ 1, %bb89 ]
  %29 = phi i32 [ %28, %bb91 ], [ %26, %bb83 ], [ %26, %bb89 ]
  %_0.i96 = bitcast i32 %29 to float
  %_113 = zext nneg i32 %k.sroa.0.0 to i64
  %_0.i.i = getelementptr inbounds float, ptr @w.lib.89, i64 %_113
  %_110 = load float, ptr %_0.i.i, align 4
  %30 = fsub float %_0.i96, %_110
  %_115 = fadd float %_110, %_0.i96
  %31 = fdiv float 1.000000e+00, %_115
  %s = fmul float %30, %31
  %_0.i98 = bitcast float %s to i32
  %_126 = and i32 %_0.i98, -4096
  %_0.i99 = bitcast i32 %_126 to float
  %_130 = lshr i32 %29, 1
  %_129 = and i32 %_130, 1610608640
  %_136 = shl nuw nsw i32 %k.sroa.0.0, 21
  %_134 = or disjoint i32 %_136, 541065216
  %_133 = add nuw nsw i32 %_134, %_129
  %_0.i100 = bitcast i32 %_133 to float
  %32 = fsub float %_110, %_0.i100
  %33 = fadd float %32, %_0.i96
  %_148 = fmul float %_0.i100, %_0.i99
  %_147 = fsub float %30, %_148
  %_150 = fmul float %33, %_0.i99
  %_146 = fsub float %_147, %_150
  %s_l = fmul float %31, %_146
  %34 = fmul float %s, %s
  %_152 = fmul float %34, %34
  %_168 = fmul float %34, 0x3FCA7E2840000000
  %_167 = fadd float %_168, 0x3FCD864AA0000000
  %_165 = fmul float %34, %_167
  %_164 = fadd float %_165, 0x3FD17460A0000000
  %_162 = fmul float %34, %_164
  %_161 = fadd float %_162, 0x3FD5555560000000
  %_159 = fmul float %34, %_161
  %_158 = fadd float %_159, 0x3FDB6DB6E0000000
  %_156 = fmul float %34, %_158
  %_155 = fadd float %_156, 0x3FE3333340000000
  %35 = fmul float %_152, %_155
  %_170 = fadd float %s, %_0.i99
  %_169 = fmul float %_170, %s_l
  %36 = fadd float %_169, %35
  %37 = fmul float %_0.i99, %_0.i99
  %_174 = fadd float %37, 3.000000e+00
  %38 = fadd float %_174, %36
  %_0.i102 = bitcast float %38 to i32
  %_179 = and i32 %_0.i102, -4096
  %_0.i103 = bitcast i32 %_179 to float
  %_182 = fadd float %_0.i103, -3.000000e+00
  %_181 = fsub float %_182, %37
  %39 = fsub float %36, %_181
  %40 = fmul float %_0.i99, %_0.i103
  %_185 = fmul float %s_l, %_0.i103
  %_186 = fmul float %s, %39
  %41 = fadd float %_185, %_186
  %42 = fadd float %40, %41
  %_0.i104 = bitcast float %42 to i32
  %_191 = and i32 %_0.i104, -4096
  %_0.i105 = bitcast i32 %_191 to float
  %_193 = fsub float %_0.i105, %40
  %43 = fsub float %41, %_193
  %z_h = fmul float %_0.i105, 0x3FEEC80000000000
  %_197 = fmul float %_0.i105, 0x3F1EC478C0000000
  %_198 = fmul float %43, 0x3FEEC709E0000000
  %44 = fsub float %_198, %_197
  %_0.i.i106 = getelementptr inbounds float, ptr @w.lib.90, i64 %_113
  %_199 = load float, ptr %_0.i.i106, align 4
  %z_l = fadd float %_199, %44
  %45 = sitofp i32 %n.sroa.0.1 to float
  %_205 = fadd float %z_h, %z_l
  %_0.i.i107 = getelementptr inbounds float, ptr @w.lib.91, i64 %_113
  %_206 = load float, ptr %_0.i.i107, align 4
  %_204 = fadd float %_206, %_205
  %46 = fadd float %_204, %45
  %_0.i108 = bitcast float %46 to i32
  %_214 = and i32 %_0.i108, -4096
  %_0.i109 = bitcast i32 %_214 to float
  %_218 = fsub float %_0.i109, %45
  %_217 = fsub float %_218, %_206
  %_216 = fsub float %_217, %z_h
  %47 = fsub float %z_l, %_216
  br label %bb110
bb110:
  %t1.sroa.0.0 = phi float [ %_0.i115, %bb77 ], [ %_0.i109, %bb93 ]
  %t2.sroa.0.0 = phi float [ %56, %bb77 ], [ %47, %bb93 ]
  %_226 = and i32 %_0.i93, -4096
  %_0.i112 = bitcast i32 %_226 to float
  %_229 = fsub float %y, %_0.i112
  %_228 = fmul float %_229, %t1.sroa.0.0
  %_231 = fmul float %y, %t2.sroa.0.0
  %48 = fadd float %_228, %_231
  %49 = fmul float %t1.sroa.0.0, %_0.i112
  %50 = fadd float %49, %48
  %_0.i113 = bitcast float %50 to i32
  %_236 = icmp sgt i32 %_0.i113, 1124073472
  br i1 %_236, label %bb114, label %bb115
bb75:
  %_69 = icmp ugt i32 %1, 1065353223
  br i1 %_69, label %bb76, label %bb77
bb71:
  %_66 = icmp slt i32 %_0.i93, 0
  br i1 %_66, label %bb72, label %bb73
bb77:
  %51 = fadd float %0, -1.000000e+00
  %_74 = fmul float %51, %51
  %_81 = fmul float %51, 2.500000e-01
  %_80 = fsub float 0x3FD5555560000000, %_81
  %_78 = fmul float %51, %_80
  %_77 = fsub float 5.000000e-01, %_78
  %52 = fmul float %_74, %_77
  %53 = fmul float %51, 0x3FF7154000000000
  %_84 = fmul float %51, 0x3EDD94AE00000000
  %_85 = fmul float %52, 0x3FF7154760000000
  %54 = fsub float %_84, %_85
  %55 = fadd float %53, %54
  %_0.i114 = bitcast float %55 to i32
  %_89 = and i32 %_0.i114, -4096
  %_0.i115 = bitcast i32 %_89 to float
  %_91 = fsub float %_0.i115, %53
  %56 = fsub float %54, %_91
  br label %bb110
bb76:
  %_71 = icmp sgt i32 %_0.i93, 0
  br i1 %_71, label %bb78, label %bb79
bb115:
  %57 = icmp eq i32 %_0.i113, 1124073472
  br i1 %57, label %bb116, label %bb119
bb114:
  %_238 = fmul float %sn.sroa.0.0, 0x46293E5940000000
  %58 = fmul float %_238, 0x46293E5940000000
  br label %bb148
bb116:
  %_241 = fadd float %48, 0x3E67154780000000
  %_243 = fsub float %50, %49
  %_240 = fcmp ogt float %_241, %_243
  br i1 %_240, label %bb117, label %bb128
bb119:
  %59 = call float @llvm.fabs.f32(float %50)
  %_247 = bitcast float %59 to i32
  %_246 = icmp ugt i32 %_247, 1125515264
  br i1 %_246, label %bb120, label %bb121
bb117:
  %_245 = fmul float %sn.sroa.0.0, 0x46293E5940000000
  %60 = fmul float %_245, 0x46293E5940000000
  br label %bb148
bb127:
  %_259 = icmp ugt i32 %_247, 1056964608
  br i1 %_259, label %bb128, label %bb133
bb121:
  %61 = icmp ne i32 %_0.i113, -1021968384
  %_254 = fsub float %50, %49
  %_252 = fcmp ugt float %48, %_254
  %or.cond91 = or i1 %61, %_252
  br i1 %or.cond91, label %bb127, label %bb123
bb120:
  %_249 = fmul float %sn.sroa.0.0, 0x39B4484C00000000
  %62 = fmul float %_249, 0x39B4484C00000000
  br label %bb148
bb123:
  %_256 = fmul float %sn.sroa.0.0, 0x39B4484C00000000
  %63 = fmul float %_256, 0x39B4484C00000000
  br label %bb148
bb133:
  %_0.i116.pre-phi = phi i32 [ %.pre124, %bb128 ], [ %_0.i113, %bb127 ]
  %p_h.sroa.0.0 = phi float [ %81, %bb128 ], [ %49, %bb127 ]
  %n.sroa.0.2 = phi i32 [ %spec.select, %bb128 ], [ 0, %bb127 ]
  %_281 = and i32 %_0.i116.pre-phi, -32768
  %_0.i117 = bitcast i32 %_281 to float
  %64 = fmul float %_0.i117, 0x3FE62E4000000000
  %_286 = fsub float %_0.i117, %p_h.sroa.0.0
  %_285 = fsub float %48, %_286
  %_284 = fmul float %_285, 0x3FE62E4300000000
  %_288 = fmul float %_0.i117, 0x3EB7F7D180000000
  %65 = fadd float %_288, %_284
  %66 = fadd float %64, %65
  %_291 = fsub float %66, %64
  %67 = fsub float %65, %_291
  %68 = fmul float %66, %66
  %_308 = fmul float %68, 0x3E66376980000000
  %_307 = fadd float %_308, 0xBEBBBD41C0000000
  %_305 = fmul float %68, %_307
  %_304 = fadd float %_305, 0x3F11566AA0000000
  %_302 = fmul float %68, %_304
  %_301 = fadd float %_302, 0xBF66C16C20000000
  %_299 = fmul float %68, %_301
  %_298 = fadd float %_299, 0x3FC5555560000000
  %_296 = fmul float %68, %_298
  %69 = fsub float %66, %_296
  %_310 = fmul float %66, %69
  %_313 = fadd float %69, -2.000000e+00
  %_309 = fdiv float %_310, %_313
  %_316 = fmul float %66, %67
  %_314 = fadd float %67, %_316
  %70 = fsub float %_309, %_314
  %71 = fsub float %66, %70
  %72 = fadd float %71, 1.000000e+00
  %_0.i118 = bitcast float %72 to i32
  %_321 = shl i32 %n.sroa.0.2, 23
  %73 = add i32 %_321, %_0.i118
  %_323 = icmp slt i32 %73, 8388608
  br i1 %_323, label %bb137, label %bb139
bb128:
  %_258 = lshr i32 %_0.i113, 23
  %_262 = add nuw nsw i32 %_258, 2
  %74 = and i32 %_262, 31
  %_261 = lshr i32 8388608, %74
  %75 = add nsw i32 %_261, %_0.i113
  %_264 = lshr i32 %75, 23
  %76 = add nuw nsw i32 %_264, 1
  %77 = and i32 %76, 31
  %_269 = ashr i32 -8388608, %77
  %_266 = and i32 %_269, %75
  %_0.i119 = bitcast i32 %_266 to float
  %_273 = and i32 %75, 8388607
  %_272 = or disjoint i32 %_273, 8388608
  %_274 = sub nsw i32 22, %_264
  %78 = and i32 %_274, 31
  %79 = lshr i32 %_272, %78
  %_275 = icmp slt i32 %_0.i113, 0
  %80 = sub nsw i32 0, %79
  %spec.select = select i1 %_275, i32 %80, i32 %79
  %81 = fsub float %49, %_0.i119
  %.pre = fadd float %48, %81
  %.pre124 = bitcast float %.pre to i32
  br label %bb133
bb139:
  %_0.i120 = bitcast i32 %73 to float
  br label %bb141
bb137:
  %_326 = call float @w.lib.385(float %72, i32 %n.sroa.0.2)
  br label %bb141
bb141:
  %z.sroa.0.2 = phi float [ %_326, %bb137 ], [ %_0.i120, %bb139 ]
  %82 = fmul float %sn.sroa.0.0, %z.sroa.0.2
  br label %bb148
bb148:
  %z.sroa.0.3 = phi float [ %82, %bb141 ], [ %9, %bb37 ], [ 1.000000e+00, %start ], [ %5, %bb10 ], [ %18, %bb55 ], [ %20, %bb57 ], [ %z.sroa.0.1, %bb56 ], [ %z.sroa.0.1, %bb51 ], [ %21, %bb64 ], [ %86, %bb72 ], [ %85, %bb73 ], [ %84, %bb78 ], [ %83, %bb79 ], [ %58, %bb114 ], [ %60, %bb117 ], [ %62, %bb120 ], [ %63, %bb123 ], [ %10, %bb39 ], [ %14, %bb42 ], [ %y., %bb25 ], [ %8, %bb31 ], [ %x, %bb34 ], [ 1.000000e+00, %bb21 ], [ 0.000000e+00, %bb24 ]
  ret float %z.sroa.0.3
bb79:
  %_73 = fmul float %sn.sroa.0.0, 0x39B4484C00000000
  %83 = fmul float %_73, 0x39B4484C00000000
  br label %bb148
bb78:
  %_72 = fmul float %sn.sroa.0.0, 0x46293E5940000000
  %84 = fmul float %_72, 0x46293E5940000000
  br label %bb148
bb73:
  %_68 = fmul float %sn.sroa.0.0, 0x39B4484C00000000
  %85 = fmul float %_68, 0x39B4484C00000000
  br label %bb148
bb72:
  %_67 = fmul float %sn.sroa.0.0, 0x46293E5940000000
  %86 = fmul float %_67, 0x46293E5940000000
  br label %bb148
}
define internal float @w.lib.361(float %x) nounwind {
start:
  %_14.sroa.0 = alloca float, align 4
  %x64 = fpext float %x to double
  %_0.i = bitcast float %x to i32
  %sign.not = icmp sgt i32 %_0.i, -1
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_8 = icmp ult i32 %1, 1061752795
  br i1 %_8, label %bb3, label %bb10
bb10:
  %_16 = icmp ult i32 %1, 1081824210
  br i1 %_16, label %bb11, label %bb12
bb3:
  %_10 = icmp ult i32 %1, 964689920
  br i1 %_10, label %bb4, label %bb9
bb12:
  %_25 = icmp ult i32 %1, 1088565718
  br i1 %_25, label %bb23, label %bb24
bb11:
  %_18 = icmp ult i32 %1, 1075235812
  br i1 %_18, label %bb13, label %bb18
bb24:
  %_32 = icmp ugt i32 %1, 2139095039
  br i1 %_32, label %bb35, label %bb36
bb23:
  %_27 = icmp ult i32 %1, 1085271520
  br i1 %_27, label %bb25, label %bb30
bb36:
  %2 = call { i32, double } @w.lib.377(float %x)
  %_35.0 = extractvalue { i32, double } %2, 0
  %_35.1 = extractvalue { i32, double } %2, 1
  %_36 = and i32 %_35.0, 3
  switch i32 %_36, label %default.unreachable128 [
    i32 0, label %bb41
    i32 1, label %bb40
    i32 2, label %bb39
    i32 3, label %bb38
  ]
bb35:
  %3 = fsub float %x, %x
  br label %bb51
default.unreachable128:
  unreachable
bb38:
  %z.i = fmul double %_35.1, %_35.1
  %w.i = fmul double %z.i, %z.i
  %_5.i = fmul double %z.i, 0x3EF99342E0EE5069
  %r.i = fadd double %_5.i, 0xBF56C087E80F1E27
  %_9.i = fmul double %z.i, 0x3FDFFFFFFD0C5E81
  %4 = fsub double 1.000000e+00, %_9.i
  %_10.i = fmul double %w.i, 0x3FA55553E1053A42
  %_7.i = fadd double %4, %_10.i
  %_12.i = fmul double %z.i, %w.i
  %_11.i = fmul double %_12.i, %r.i
  %_6.i = fadd double %_7.i, %_11.i
  %_0.i10 = fptrunc double %_6.i to float
  %5 = fneg float %_0.i10
  br label %bb51
bb41:
  %z.i11 = fmul double %_35.1, %_35.1
  %w.i12 = fmul double %z.i11, %z.i11
  %_5.i13 = fmul double %z.i11, 0x3EC6CD878C3B46A7
  %r.i14 = fadd double %_5.i13, 0xBF2A00F9E2CAE774
  %s.i = fmul double %_35.1, %z.i11
  %_11.i15 = fmul double %z.i11, 0x3F811110896EFBB2
  %_10.i16 = fadd double %_11.i15, 0xBFC5555554CBAC77
  %_9.i17 = fmul double %s.i, %_10.i16
  %_8.i = fadd double %_35.1, %_9.i17
  %_13.i = fmul double %s.i, %w.i12
  %_12.i18 = fmul double %_13.i, %r.i14
  %_7.i19 = fadd double %_12.i18, %_8.i
  %_0.i20 = fptrunc double %_7.i19 to float
  br label %bb51
bb40:
  %z.i21 = fmul double %_35.1, %_35.1
  %w.i22 = fmul double %z.i21, %z.i21
  %_5.i23 = fmul double %z.i21, 0x3EF99342E0EE5069
  %r.i24 = fadd double %_5.i23, 0xBF56C087E80F1E27
  %_9.i25 = fmul double %z.i21, 0x3FDFFFFFFD0C5E81
  %6 = fsub double 1.000000e+00, %_9.i25
  %_10.i26 = fmul double %w.i22, 0x3FA55553E1053A42
  %_7.i27 = fadd double %6, %_10.i26
  %_12.i28 = fmul double %z.i21, %w.i22
  %_11.i29 = fmul double %_12.i28, %r.i24
  %_6.i30 = fadd double %_7.i27, %_11.i29
  %_0.i31 = fptrunc double %_6.i30 to float
  br label %bb51
bb39:
  %_37 = fneg double %_35.1
  %z.i32 = fmul double %_35.1, %_35.1
  %w.i33 = fmul double %z.i32, %z.i32
  %_5.i34 = fmul double %z.i32, 0x3EC6CD878C3B46A7
  %r.i35 = fadd double %_5.i34, 0xBF2A00F9E2CAE774
  %s.i36 = fmul double %z.i32, %_37
  %_11.i37 = fmul double %z.i32, 0x3F811110896EFBB2
  %_10.i38 = fadd double %_11.i37, 0xBFC5555554CBAC77
  %_9.i39 = fmul double %s.i36, %_10.i38
  %_8.i40 = fsub double %_9.i39, %_35.1
  %_13.i41 = fmul double %s.i36, %w.i33
  %_12.i42 = fmul double %_13.i41, %r.i35
  %_7.i43 = fadd double %_12.i42, %_8.i40
  %_0.i44 = fptrunc double %_7.i43 to float
  br label %bb51
bb51:
  %_0.sroa.0.0 = phi float [ %x, %bb4 ], [ %_0.i127, %bb9 ], [ %12, %bb14 ], [ %_0.i103, %bb16 ], [ %_0.i92, %bb18 ], [ %_0.i79, %bb26 ], [ %8, %bb28 ], [ %_0.i57, %bb30 ], [ %3, %bb35 ], [ %_0.i20, %bb41 ], [ %_0.i31, %bb40 ], [ %_0.i44, %bb39 ], [ %5, %bb38 ]
  ret float %_0.sroa.0.0
bb30:
  %_31.sroa.0.0.v = select i1 %sign.not, double 0xC01921FB54442D18, double 0x401921FB54442D18
  %_31.sroa.0.0 = fadd double %_31.sroa.0.0.v, %x64
  %z.i45 = fmul double %_31.sroa.0.0, %_31.sroa.0.0
  %w.i46 = fmul double %z.i45, %z.i45
  %_5.i47 = fmul double %z.i45, 0x3EC6CD878C3B46A7
  %r.i48 = fadd double %_5.i47, 0xBF2A00F9E2CAE774
  %s.i49 = fmul double %_31.sroa.0.0, %z.i45
  %_11.i50 = fmul double %z.i45, 0x3F811110896EFBB2
  %_10.i51 = fadd double %_11.i50, 0xBFC5555554CBAC77
  %_9.i52 = fmul double %s.i49, %_10.i51
  %_8.i53 = fadd double %_31.sroa.0.0, %_9.i52
  %_13.i54 = fmul double %s.i49, %w.i46
  %_12.i55 = fmul double %_13.i54, %r.i48
  %_7.i56 = fadd double %_12.i55, %_8.i53
  %_0.i57 = fptrunc double %_7.i56 to float
  br label %bb51
bb25:
  br i1 %sign.not, label %bb28, label %bb26
bb28:
  %_30 = fadd double %x64, 0xC012D97C7F3321D2
  %z.i58 = fmul double %_30, %_30
  %w.i59 = fmul double %z.i58, %z.i58
  %_5.i60 = fmul double %z.i58, 0x3EF99342E0EE5069
  %r.i61 = fadd double %_5.i60, 0xBF56C087E80F1E27
  %_9.i62 = fmul double %z.i58, 0x3FDFFFFFFD0C5E81
  %7 = fsub double 1.000000e+00, %_9.i62
  %_10.i63 = fmul double %w.i59, 0x3FA55553E1053A42
  %_7.i64 = fadd double %7, %_10.i63
  %_12.i65 = fmul double %z.i58, %w.i59
  %_11.i66 = fmul double %_12.i65, %r.i61
  %_6.i67 = fadd double %_7.i64, %_11.i66
  %_0.i68 = fptrunc double %_6.i67 to float
  %8 = fneg float %_0.i68
  br label %bb51
bb26:
  %_28 = fadd double %x64, 0x4012D97C7F3321D2
  %z.i69 = fmul double %_28, %_28
  %w.i70 = fmul double %z.i69, %z.i69
  %_5.i71 = fmul double %z.i69, 0x3EF99342E0EE5069
  %r.i72 = fadd double %_5.i71, 0xBF56C087E80F1E27
  %_9.i73 = fmul double %z.i69, 0x3FDFFFFFFD0C5E81
  %9 = fsub double 1.000000e+00, %_9.i73
  %_10.i74 = fmul double %w.i70, 0x3FA55553E1053A42
  %_7.i75 = fadd double %9, %_10.i74
  %_12.i76 = fmul double %z.i69, %w.i70
  %_11.i77 = fmul double %_12.i76, %r.i72
  %_6.i78 = fadd double %_7.i75, %_11.i77
  %_0.i79 = fptrunc double %_6.i78 to float
  br label %bb51
bb18:
  %_22.sroa.0.0.v.v = select i1 %sign.not, double 0xC00921FB54442D18, double 0x400921FB54442D18
  %_22.sroa.0.0.v = fadd double %_22.sroa.0.0.v.v, %x64
  %_22.sroa.0.0 = fneg double %_22.sroa.0.0.v
  %z.i80 = fmul double %_22.sroa.0.0.v, %_22.sroa.0.0.v
  %w.i81 = fmul double %z.i80, %z.i80
  %_5.i82 = fmul double %z.i80, 0x3EC6CD878C3B46A7
  %r.i83 = fadd double %_5.i82, 0xBF2A00F9E2CAE774
  %s.i84 = fmul double %z.i80, %_22.sroa.0.0
  %_11.i85 = fmul double %z.i80, 0x3F811110896EFBB2
  %_10.i86 = fadd double %_11.i85, 0xBFC5555554CBAC77
  %_9.i87 = fmul double %s.i84, %_10.i86
  %_8.i88 = fsub double %_9.i87, %_22.sroa.0.0.v
  %_13.i89 = fmul double %s.i84, %w.i81
  %_12.i90 = fmul double %_13.i89, %r.i83
  %_7.i91 = fadd double %_12.i90, %_8.i88
  %_0.i92 = fptrunc double %_7.i91 to float
  br label %bb51
bb13:
  br i1 %sign.not, label %bb16, label %bb14
bb16:
  %_21 = fadd double %x64, 0xBFF921FB54442D18
  %z.i93 = fmul double %_21, %_21
  %w.i94 = fmul double %z.i93, %z.i93
  %_5.i95 = fmul double %z.i93, 0x3EF99342E0EE5069
  %r.i96 = fadd double %_5.i95, 0xBF56C087E80F1E27
  %_9.i97 = fmul double %z.i93, 0x3FDFFFFFFD0C5E81
  %10 = fsub double 1.000000e+00, %_9.i97
  %_10.i98 = fmul double %w.i94, 0x3FA55553E1053A42
  %_7.i99 = fadd double %10, %_10.i98
  %_12.i100 = fmul double %z.i93, %w.i94
  %_11.i101 = fmul double %_12.i100, %r.i96
  %_6.i102 = fadd double %_7.i99, %_11.i101
  %_0.i103 = fptrunc double %_6.i102 to float
  br label %bb51
bb14:
  %_20 = fadd double %x64, 0x3FF921FB54442D18
  %z.i104 = fmul double %_20, %_20
  %w.i105 = fmul double %z.i104, %z.i104
  %_5.i106 = fmul double %z.i104, 0x3EF99342E0EE5069
  %r.i107 = fadd double %_5.i106, 0xBF56C087E80F1E27
  %_9.i108 = fmul double %z.i104, 0x3FDFFFFFFD0C5E81
  %11 = fsub double 1.000000e+00, %_9.i108
  %_10.i109 = fmul double %w.i105, 0x3FA55553E1053A42
  %_7.i110 = fadd double %11, %_10.i109
  %_12.i111 = fmul double %z.i104, %w.i105
  %_11.i112 = fmul double %_12.i111, %r.i107
  %_6.i113 = fadd double %_7.i110, %_11.i112
  %_0.i114 = fptrunc double %_6.i113 to float
  %12 = fneg float %_0.i114
  br label %bb51
bb9:
  %z.i115 = fmul double %x64, %x64
  %w.i116 = fmul double %z.i115, %z.i115
  %_5.i117 = fmul double %z.i115, 0x3EC6CD878C3B46A7
  %r.i118 = fadd double %_5.i117, 0xBF2A00F9E2CAE774
  %s.i119 = fmul double %z.i115, %x64
  %_11.i120 = fmul double %z.i115, 0x3F811110896EFBB2
  %_10.i121 = fadd double %_11.i120, 0xBFC5555554CBAC77
  %_9.i122 = fmul double %s.i119, %_10.i121
  %_8.i123 = fadd double %_9.i122, %x64
  %_13.i124 = fmul double %s.i119, %w.i116
  %_12.i125 = fmul double %_13.i124, %r.i118
  %_7.i126 = fadd double %_12.i125, %_8.i123
  %_0.i127 = fptrunc double %_7.i126 to float
  br label %bb51
bb4:
  %_15 = icmp ult i32 %1, 8388608
  %13 = fadd float %x, 0x4770000000000000
  %14 = fmul float %x, 0x3870000000000000
  %storemerge = select i1 %_15, float %14, float %13
  store float %storemerge, ptr %_14.sroa.0, align 4
  %_14.sroa.0.0._14.sroa.0.0._14.sroa.0.0._14.sroa.0.0. = load volatile float, ptr %_14.sroa.0, align 4
  br label %bb51
}
define internal double @w.lib.396(double %x) nounwind {
start:
  %h.sroa.0.0 = call double @llvm.copysign.f64(double 5.000000e-01, double %x)
  %0 = call double @llvm.fabs.f64(double %x)
  %1 = bitcast double %0 to i64
  %_11 = icmp ult i64 %1, 4649454526309335040
  br i1 %_11, label %bb6, label %bb12
bb12:
  %_27 = fmul double %h.sroa.0.0, 2.000000e+00
  %_6.i = fadd double %0, 0xC0962066151ADD8B
  %_5.i = call double @w.lib.323(double %_6.i)
  %_4.i = fmul double %_5.i, 0x7FC0000000000000
  %_0.i11 = fmul double %_4.i, 0x7FC0000000000000
  %2 = fmul double %_27, %_0.i11
  br label %bb16
bb6:
  %3 = call double @w.lib.379(double %0)
  %_12 = icmp ult i64 %1, 4607182418800017408
  br i1 %_12, label %bb8, label %bb11
bb16:
  %t.sroa.0.0 = phi double [ %2, %bb12 ], [ %5, %bb10 ], [ %4, %bb11 ], [ %x, %bb8 ]
  ret double %t.sroa.0.0
bb11:
  %_26 = fadd double %3, 1.000000e+00
  %_24 = fdiv double %3, %_26
  %_22 = fadd double %3, %_24
  %4 = fmul double %h.sroa.0.0, %_22
  br label %bb16
bb8:
  %_13 = icmp ult i64 %1, 4490088828488384512
  br i1 %_13, label %bb16, label %bb10
bb10:
  %_15 = fmul double %3, 2.000000e+00
  %_18 = fmul double %3, %3
  %_21 = fadd double %3, 1.000000e+00
  %_17 = fdiv double %_18, %_21
  %_14 = fsub double %_15, %_17
  %5 = fmul double %h.sroa.0.0, %_14
  br label %bb16
}
define internal float @w.lib.397(float %x) nounwind {
start:
  %_14.sroa.0 = alloca float, align 4
  %x64 = fpext float %x to double
  %_0.i = bitcast float %x to i32
  %sign.not = icmp sgt i32 %_0.i, -1
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_8 = icmp ult i32 %1, 1061752795
  br i1 %_8, label %bb3, label %bb10
bb10:
  %_16 = icmp ult i32 %1, 1081824210
  br i1 %_16, label %bb11, label %bb12
bb3:
  %_10 = icmp ult i32 %1, 964689920
  br i1 %_10, label %bb4, label %bb9
bb12:
  %_21 = icmp ult i32 %1, 1088565718
  br i1 %_21, label %bb23, label %bb24
bb11:
  %_18 = icmp ult i32 %1, 1075235812
  br i1 %_18, label %bb13, label %bb18
bb24:
  %_26 = icmp ugt i32 %1, 2139095039
  br i1 %_26, label %bb35, label %bb36
bb23:
  %_23 = icmp ult i32 %1, 1085271520
  br i1 %_23, label %bb25, label %bb30
bb36:
  %2 = call { i32, double } @w.lib.377(float %x)
  %_29.0 = extractvalue { i32, double } %2, 0
  %_29.1 = extractvalue { i32, double } %2, 1
  %_31 = and i32 %_29.0, 1
  %_30.not = icmp eq i32 %_31, 0
  %z.i = fmul double %_29.1, %_29.1
  %_5.i = fmul double %z.i, 0x3F8362B9BF971BCD
  %3 = fadd double %_5.i, 0x3F685DADFCECF44E
  %_7.i = fmul double %z.i, 0x3F991DF3908C33CE
  %t.i = fadd double %_7.i, 0x3FAB54C91D865AFE
  %w.i = fmul double %z.i, %z.i
  %s.i = fmul double %_29.1, %z.i
  %_11.i = fmul double %z.i, 0x3FC112FD38999F72
  %u.i = fadd double %_11.i, 0x3FD5554D3418C99F
  %_13.i = fmul double %s.i, %u.i
  %_12.i = fadd double %_29.1, %_13.i
  %_15.i = fmul double %s.i, %w.i
  %_17.i = fmul double %w.i, %3
  %_16.i = fadd double %t.i, %_17.i
  %_14.i = fmul double %_15.i, %_16.i
  %4 = fadd double %_12.i, %_14.i
  %5 = fdiv double -1.000000e+00, %4
  %_18.sroa.0.0.i = select i1 %_30.not, double %4, double %5
  %_0.i10 = fptrunc double %_18.sroa.0.0.i to float
  br label %bb43
bb35:
  %6 = fsub float %x, %x
  br label %bb43
bb43:
  %_0.sroa.0.0 = phi float [ %x, %bb4 ], [ %_0.i90, %bb9 ], [ %_0.i74, %bb13 ], [ %_0.i58, %bb18 ], [ %_0.i42, %bb25 ], [ %_0.i26, %bb30 ], [ %6, %bb35 ], [ %_0.i10, %bb36 ]
  ret float %_0.sroa.0.0
bb30:
  %_25.sroa.0.0.v = select i1 %sign.not, double 0xC01921FB54442D18, double 0x401921FB54442D18
  %_25.sroa.0.0 = fadd double %_25.sroa.0.0.v, %x64
  %z.i11 = fmul double %_25.sroa.0.0, %_25.sroa.0.0
  %_5.i12 = fmul double %z.i11, 0x3F8362B9BF971BCD
  %7 = fadd double %_5.i12, 0x3F685DADFCECF44E
  %_7.i13 = fmul double %z.i11, 0x3F991DF3908C33CE
  %t.i14 = fadd double %_7.i13, 0x3FAB54C91D865AFE
  %w.i15 = fmul double %z.i11, %z.i11
  %s.i16 = fmul double %_25.sroa.0.0, %z.i11
  %_11.i17 = fmul double %z.i11, 0x3FC112FD38999F72
  %u.i18 = fadd double %_11.i17, 0x3FD5554D3418C99F
  %_13.i19 = fmul double %s.i16, %u.i18
  %_12.i20 = fadd double %_25.sroa.0.0, %_13.i19
  %_15.i21 = fmul double %s.i16, %w.i15
  %_17.i22 = fmul double %w.i15, %7
  %_16.i23 = fadd double %t.i14, %_17.i22
  %_14.i24 = fmul double %_15.i21, %_16.i23
  %8 = fadd double %_12.i20, %_14.i24
  %_0.i26 = fptrunc double %8 to float
  br label %bb43
bb25:
  %_24.sroa.0.0.v = select i1 %sign.not, double 0xC012D97C7F3321D2, double 0x4012D97C7F3321D2
  %_24.sroa.0.0 = fadd double %_24.sroa.0.0.v, %x64
  %z.i27 = fmul double %_24.sroa.0.0, %_24.sroa.0.0
  %_5.i28 = fmul double %z.i27, 0x3F8362B9BF971BCD
  %9 = fadd double %_5.i28, 0x3F685DADFCECF44E
  %_7.i29 = fmul double %z.i27, 0x3F991DF3908C33CE
  %t.i30 = fadd double %_7.i29, 0x3FAB54C91D865AFE
  %w.i31 = fmul double %z.i27, %z.i27
  %s.i32 = fmul double %_24.sroa.0.0, %z.i27
  %_11.i33 = fmul double %z.i27, 0x3FC112FD38999F72
  %u.i34 = fadd double %_11.i33, 0x3FD5554D3418C99F
  %_13.i35 = fmul double %s.i32, %u.i34
  %_12.i36 = fadd double %_24.sroa.0.0, %_13.i35
  %_15.i37 = fmul double %s.i32, %w.i31
  %_17.i38 = fmul double %w.i31, %9
  %_16.i39 = fadd double %t.i30, %_17.i38
  %_14.i40 = fmul double %_15.i37, %_16.i39
  %10 = fadd double %_12.i36, %_14.i40
  %11 = fdiv double -1.000000e+00, %10
  %_0.i42 = fptrunc double %11 to float
  br label %bb43
bb18:
  %_20.sroa.0.0.v = select i1 %sign.not, double 0xC00921FB54442D18, double 0x400921FB54442D18
  %_20.sroa.0.0 = fadd double %_20.sroa.0.0.v, %x64
  %z.i43 = fmul double %_20.sroa.0.0, %_20.sroa.0.0
  %_5.i44 = fmul double %z.i43, 0x3F8362B9BF971BCD
  %12 = fadd double %_5.i44, 0x3F685DADFCECF44E
  %_7.i45 = fmul double %z.i43, 0x3F991DF3908C33CE
  %t.i46 = fadd double %_7.i45, 0x3FAB54C91D865AFE
  %w.i47 = fmul double %z.i43, %z.i43
  %s.i48 = fmul double %_20.sroa.0.0, %z.i43
  %_11.i49 = fmul double %z.i43, 0x3FC112FD38999F72
  %u.i50 = fadd double %_11.i49, 0x3FD5554D3418C99F
  %_13.i51 = fmul double %s.i48, %u.i50
  %_12.i52 = fadd double %_20.sroa.0.0, %_13.i51
  %_15.i53 = fmul double %s.i48, %w.i47
  %_17.i54 = fmul double %w.i47, %12
  %_16.i55 = fadd double %t.i46, %_17.i54
  %_14.i56 = fmul double %_15.i53, %_16.i55
  %13 = fadd double %_12.i52, %_14.i56
  %_0.i58 = fptrunc double %13 to float
  br label %bb43
bb13:
  %_19.sroa.0.0.v = select i1 %sign.not, double 0xBFF921FB54442D18, double 0x3FF921FB54442D18
  %_19.sroa.0.0 = fadd double %_19.sroa.0.0.v, %x64
  %z.i59 = fmul double %_19.sroa.0.0, %_19.sroa.0.0
  %_5.i60 = fmul double %z.i59, 0x3F8362B9BF971BCD
  %14 = fadd double %_5.i60, 0x3F685DADFCECF44E
  %_7.i61 = fmul double %z.i59, 0x3F991DF3908C33CE
  %t.i62 = fadd double %_7.i61, 0x3FAB54C91D865AFE
  %w.i63 = fmul double %z.i59, %z.i59
  %s.i64 = fmul double %_19.sroa.0.0, %z.i59
  %_11.i65 = fmul double %z.i59, 0x3FC112FD38999F72
  %u.i66 = fadd double %_11.i65, 0x3FD5554D3418C99F
  %_13.i67 = fmul double %s.i64, %u.i66
  %_12.i68 = fadd double %_19.sroa.0.0, %_13.i67
  %_15.i69 = fmul double %s.i64, %w.i63
  %_17.i70 = fmul double %w.i63, %14
  %_16.i71 = fadd double %t.i62, %_17.i70
  %_14.i72 = fmul double %_15.i69, %_16.i71
  %15 = fadd double %_12.i68, %_14.i72
  %16 = fdiv double -1.000000e+00, %15
  %_0.i74 = fptrunc double %16 to float
  br label %bb43
bb9:
  %z.i75 = fmul double %x64, %x64
  %_5.i76 = fmul double %z.i75, 0x3F8362B9BF971BCD
  %17 = fadd double %_5.i76, 0x3F685DADFCECF44E
  %_7.i77 = fmul double %z.i75, 0x3F991DF3908C33CE
  %t.i78 = fadd double %_7.i77, 0x3FAB54C91D865AFE
  %w.i79 = fmul double %z.i75, %z.i75
  %s.i80 = fmul double %z.i75, %x64
  %_11.i81 = fmul double %z.i75, 0x3FC112FD38999F72
  %u.i82 = fadd double %_11.i81, 0x3FD5554D3418C99F
  %_13.i83 = fmul double %s.i80, %u.i82
  %_12.i84 = fadd double %_13.i83, %x64
  %_15.i85 = fmul double %s.i80, %w.i79
  %_17.i86 = fmul double %w.i79, %17
  %_16.i87 = fadd double %t.i78, %_17.i86
  %_14.i88 = fmul double %_15.i85, %_16.i87
  %18 = fadd double %_12.i84, %_14.i88
  %_0.i90 = fptrunc double %18 to float
  br label %bb43
bb4:
  %_15 = icmp ult i32 %1, 8388608
  %19 = fadd float %x, 0x4770000000000000
  %20 = fmul float %x, 0x3870000000000000
  %storemerge = select i1 %_15, float %20, float %19
  store float %storemerge, ptr %_14.sroa.0, align 4
  %_14.sroa.0.0._14.sroa.0.0._14.sroa.0.0._14.sroa.0.0. = load volatile float, ptr %_14.sroa.0, align 4
  br label %bb43
}
define internal double @w.lib.398(double %0) nounwind {
start:
  %_26.sroa.0 = alloca float, align 4
  %1 = call double @llvm.fabs.f64(double %0)
  %2 = bitcast double %1 to i64
  %_9 = icmp ugt i64 %2, 4603122931675955199
  br i1 %_9, label %bb3, label %bb8
bb8:
  %_15 = icmp ugt i64 %2, 4598272728187797503
  br i1 %_15, label %bb9, label %bb11
bb3:
  %_10 = icmp ugt i64 %2, 4626322721511309311
  br i1 %_10, label %bb4, label %bb5
bb11:
  %_19 = icmp ugt i64 %2, 4503599627370495
  br i1 %_19, label %bb12, label %bb14
bb9:
  %_16 = fmul double %1, 2.000000e+00
  %3 = call double @w.lib.379(double %_16)
  %_18 = fadd double %3, 2.000000e+00
  %4 = fdiv double %3, %_18
  br label %bb18
bb14:
  %5 = fptrunc double %1 to float
  store float %5, ptr %_26.sroa.0, align 4
  %_26.sroa.0.0._26.sroa.0.0._26.sroa.0.0._26.sroa.0.0. = load volatile float, ptr %_26.sroa.0, align 4
  br label %bb18
bb12:
  %_20 = fmul double %1, -2.000000e+00
  %6 = call double @w.lib.379(double %_20)
  %_21 = fneg double %6
  %_23 = fadd double %6, 2.000000e+00
  %7 = fdiv double %_21, %_23
  br label %bb18
bb18:
  %x.sroa.0.0 = phi double [ %11, %bb4 ], [ %10, %bb5 ], [ %4, %bb9 ], [ %7, %bb12 ], [ %1, %bb14 ]
  %_0.i = bitcast double %0 to i64
  %8 = fneg double %x.sroa.0.0
  %sign.not14 = icmp slt i64 %_0.i, 0
  %_0.sroa.0.0 = select i1 %sign.not14, double %8, double %x.sroa.0.0
  ret double %_0.sroa.0.0
bb5:
  %_12 = fmul double %1, 2.000000e+00
  %9 = call double @w.lib.379(double %_12)
  %_14 = fadd double %9, 2.000000e+00
  %_13 = fdiv double 2.000000e+00, %_14
  %10 = fsub double 1.000000e+00, %_13
  br label %bb18
bb4:
  %_11 = fdiv double 0.000000e+00, %1
  %11 = fsub double 1.000000e+00, %_11
  br label %bb18
}
define internal float @w.lib.399(float %x) nounwind {
start:
  %_0.i = bitcast float %x to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %ix = bitcast float %0 to i32
  %_7 = icmp ugt i32 %ix, 1065353215
  br i1 %_7, label %bb3, label %bb8
bb8:
  %_10 = icmp ult i32 %ix, 1056964608
  br i1 %_10, label %bb9, label %bb10
bb3:
  %1 = icmp eq i32 %ix, 1065353216
  br i1 %1, label %bb4, label %bb7
bb10:
  %2 = icmp sgt i32 %_0.i, -1
  br i1 %2, label %bb15, label %bb14
bb9:
  %_11 = icmp ult i32 %ix, 847249409
  br i1 %_11, label %bb26, label %bb12
bb15:
  %_25 = fsub float 1.000000e+00, %x
  %3 = fmul float %_25, 5.000000e-01
  %4 = call float @llvm.sqrt.f32(float %3)
  %_0.i7 = bitcast float %4 to i32
  %_31 = and i32 %_0.i7, -4096
  %_0.i8 = bitcast i32 %_31 to float
  %_35 = fmul float %_0.i8, %_0.i8
  %_33 = fsub float %3, %_35
  %_36 = fadd float %4, %_0.i8
  %c = fdiv float %_33, %_36
  %_6.i = fmul float %3, 0x3F81BA6D60000000
  %5 = fsub float 0xBFA5E27740000000, %_6.i
  %_4.i = fmul float %3, %5
  %_3.i = fadd float %_4.i, 0x3FC5554EA0000000
  %p.i = fmul float %3, %_3.i
  %_8.i = fmul float %3, 0x3FE69CB5C0000000
  %6 = fsub float 1.000000e+00, %_8.i
  %_0.i9 = fdiv float %p.i, %6
  %_38 = fmul float %4, %_0.i9
  %7 = fadd float %_38, %c
  %_40 = fadd float %7, %_0.i8
  %8 = fmul float %_40, 2.000000e+00
  br label %bb26
bb14:
  %_18 = fadd float %x, 1.000000e+00
  %9 = fmul float %_18, 5.000000e-01
  %10 = call float @llvm.sqrt.f32(float %9)
  %_6.i10 = fmul float %9, 0x3F81BA6D60000000
  %11 = fsub float 0xBFA5E27740000000, %_6.i10
  %_4.i11 = fmul float %9, %11
  %_3.i12 = fadd float %_4.i11, 0x3FC5554EA0000000
  %p.i13 = fmul float %9, %_3.i12
  %_8.i14 = fmul float %9, 0x3FE69CB5C0000000
  %12 = fsub float 1.000000e+00, %_8.i14
  %_0.i15 = fdiv float %p.i13, %12
  %_20 = fmul float %10, %_0.i15
  %13 = fadd float %_20, 0xBE74442D00000000
  %_24 = fadd float %10, %13
  %_23 = fsub float 0x3FF921FB40000000, %_24
  %14 = fmul float %_23, 2.000000e+00
  br label %bb26
bb26:
  %_0.sroa.0.0 = phi float [ %14, %bb14 ], [ 0x400921FB40000000, %bb5 ], [ %20, %bb7 ], [ 0.000000e+00, %bb4 ], [ %18, %bb12 ], [ %8, %bb15 ], [ 0x3FF921FB40000000, %bb9 ]
  ret float %_0.sroa.0.0
bb12:
  %_16 = fmul float %x, %x
  %_6.i16 = fmul float %_16, 0x3F81BA6D60000000
  %15 = fsub float 0xBFA5E27740000000, %_6.i16
  %_4.i17 = fmul float %_16, %15
  %_3.i18 = fadd float %_4.i17, 0x3FC5554EA0000000
  %p.i19 = fmul float %_16, %_3.i18
  %_8.i20 = fmul float %_16, 0x3FE69CB5C0000000
  %16 = fsub float 1.000000e+00, %_8.i20
  %_0.i21 = fdiv float %p.i19, %16
  %_14 = fmul float %x, %_0.i21
  %_13 = fsub float 0x3E74442D00000000, %_14
  %17 = fsub float %_13, %x
  %18 = fadd float %17, 0x3FF921FB40000000
  br label %bb26
bb4:
  %19 = icmp sgt i32 %_0.i, -1
  br i1 %19, label %bb26, label %bb5
bb7:
  %_9 = fsub float %x, %x
  %20 = fdiv float 0.000000e+00, %_9
  br label %bb26
bb5:
  br label %bb26
}
define internal float @w.lib.401(float %0) nounwind {
start:
  %_0.i = bitcast float %0 to i32
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_6 = icmp ugt i32 %2, 1065353215
  br i1 %_6, label %bb3, label %bb6
bb6:
  %_12 = icmp ult i32 %2, 1056964608
  br i1 %_12, label %bb7, label %bb8
bb3:
  %3 = icmp eq i32 %2, 1065353216
  br i1 %3, label %bb4, label %bb5
bb8:
  %_22 = fsub float 1.000000e+00, %1
  %z = fmul float %_22, 5.000000e-01
  %_25 = fpext float %z to double
  %4 = call double @llvm.sqrt.f64(double %_25)
  %_6.i = fmul float %z, 0x3F81BA6D60000000
  %5 = fsub float 0xBFA5E27740000000, %_6.i
  %_4.i = fmul float %z, %5
  %_3.i = fadd float %_4.i, 0x3FC5554EA0000000
  %p.i = fmul float %z, %_3.i
  %_8.i = fmul float %z, 0x3FE69CB5C0000000
  %6 = fsub float 1.000000e+00, %_8.i
  %_0.i7 = fdiv float %p.i, %6
  %_30 = fpext float %_0.i7 to double
  %_29 = fmul double %4, %_30
  %_28 = fadd double %4, %_29
  %_27 = fmul double %_28, 2.000000e+00
  %_26 = fsub double 0x3FF921FB54442D18, %_27
  %7 = fptrunc double %_26 to float
  %8 = icmp sgt i32 %_0.i, -1
  br i1 %8, label %bb21, label %bb16
bb7:
  %9 = add nsw i32 %2, -8388608
  %_0.sroa.0.0.i.i = icmp ult i32 %9, 956301312
  br i1 %_0.sroa.0.0.i.i, label %bb21, label %bb11
bb16:
  %10 = fneg float %7
  br label %bb21
bb21:
  %_0.sroa.0.0 = phi float [ %14, %bb4 ], [ %15, %bb5 ], [ %7, %bb8 ], [ %13, %bb11 ], [ %10, %bb16 ], [ %0, %bb7 ]
  ret float %_0.sroa.0.0
bb11:
  %_19 = fmul float %0, %0
  %_6.i8 = fmul float %_19, 0x3F81BA6D60000000
  %11 = fsub float 0xBFA5E27740000000, %_6.i8
  %_4.i9 = fmul float %_19, %11
  %_3.i10 = fadd float %_4.i9, 0x3FC5554EA0000000
  %p.i11 = fmul float %_19, %_3.i10
  %_8.i12 = fmul float %_19, 0x3FE69CB5C0000000
  %12 = fsub float 1.000000e+00, %_8.i12
  %_0.i13 = fdiv float %p.i11, %12
  %_16 = fmul float %0, %_0.i13
  %13 = fadd float %0, %_16
  br label %bb21
bb4:
  %_9 = fpext float %0 to double
  %_8 = fmul double %_9, 0x3FF921FB54442D18
  %_7 = fadd double %_8, 0x3870000000000000
  %14 = fptrunc double %_7 to float
  br label %bb21
bb5:
  %_10 = fsub float %0, %0
  %15 = fdiv float 0.000000e+00, %_10
  br label %bb21
}
define internal double @w.lib.403(double %y, double %x) nounwind {
start:
  %or.cond26 = fcmp uno double %x, %y
  br i1 %or.cond26, label %bb4, label %bb5
bb4:
  %0 = fadd double %y, %x
  br label %bb62
bb5:
  %_0.i22 = bitcast double %x to i64
  %_6 = lshr i64 %_0.i22, 32
  %1 = trunc nuw i64 %_6 to i32
  %lx = trunc i64 %_0.i22 to i32
  %_0.i19 = add i32 %1, -1072693248
  %_15 = or i32 %_0.i19, %lx
  %2 = icmp eq i32 %_15, 0
  br i1 %2, label %bb11, label %bb13
bb11:
  %3 = call double @w.lib.373(double %y)
  br label %bb62
bb13:
  %_0.i24 = bitcast double %y to i64
  %ly = trunc i64 %_0.i24 to i32
  %_11 = lshr i64 %_0.i24, 32
  %4 = trunc nuw i64 %_11 to i32
  %_20 = lshr i32 %4, 31
  %_23 = lshr i32 %1, 30
  %_22 = and i32 %_23, 2
  %m = or disjoint i32 %_22, %_20
  %5 = and i32 %1, 2147483647
  %6 = and i32 %4, 2147483647
  %_25 = or i32 %6, %ly
  %7 = icmp eq i32 %_25, 0
  br i1 %7, label %bb14, label %bb15
bb14:
  switch i32 %m, label %default.unreachable29 [
    i32 0, label %bb18
    i32 1, label %bb18
    i32 2, label %bb17
    i32 3, label %bb62
  ]
bb15:
  %_27 = or i32 %5, %lx
  %8 = icmp eq i32 %_27, 0
  br i1 %8, label %bb19, label %bb20
default.unreachable29:
  unreachable
bb18:
  br label %bb62
bb17:
  br label %bb62
bb19:
  %. = call double @llvm.copysign.f64(double 0x3FF921FB54442D18, double %y)
  br label %bb62
bb20:
  %9 = icmp eq i32 %5, 2146435072
  br i1 %9, label %bb24, label %bb25
bb24:
  %10 = icmp eq i32 %6, 2146435072
  %11 = zext nneg i32 %m to i64
  br i1 %10, label %switch.lookup, label %switch.lookup30
bb25:
  %_0.i18 = add nuw i32 %5, 67108864
  %_31 = icmp ult i32 %_0.i18, %6
  %12 = icmp eq i32 %6, 2146435072
  %or.cond = or i1 %12, %_31
  br i1 %or.cond, label %bb40, label %bb44
bb44:
  %13 = icmp ne i32 %_22, 0
  %_0.i = add nuw i32 %6, 67108864
  %_39 = icmp ult i32 %_0.i, %5
  %or.cond27 = select i1 %13, i1 %_39, i1 false
  br i1 %or.cond27, label %bb53, label %bb50
bb40:
  %.17 = call double @llvm.copysign.f64(double 0x3FF921FB54442D18, double %y)
  br label %bb62
bb50:
  %_42 = fdiv double %y, %x
  %14 = call double @llvm.fabs.f64(double %_42)
  %15 = call double @w.lib.373(double %14)
  br label %bb53
bb53:
  %z.sroa.0.0 = phi double [ %15, %bb50 ], [ 0.000000e+00, %bb44 ]
  switch i32 %m, label %default.unreachable29 [
    i32 0, label %bb62
    i32 1, label %bb56
    i32 2, label %bb55
    i32 3, label %bb54
  ]
bb54:
  %_44 = fadd double %z.sroa.0.0, 0xBCA1A62633145C07
  %16 = fadd double %_44, 0xC00921FB54442D18
  br label %bb62
bb56:
  %17 = fneg double %z.sroa.0.0
  br label %bb62
bb55:
  %_43 = fadd double %z.sroa.0.0, 0xBCA1A62633145C07
  %18 = fsub double 0x400921FB54442D18, %_43
  br label %bb62
switch.lookup:
  %switch.gep = getelementptr inbounds double, ptr @w.lib.112, i64 %11
  %switch.load = load double, ptr %switch.gep, align 8
  br label %bb62
switch.lookup30:
  %switch.gep31 = getelementptr inbounds double, ptr @w.lib.113, i64 %11
  %switch.load32 = load double, ptr %switch.gep31, align 8
  br label %bb62
bb62:
  %_0.sroa.0.0 = phi double [ %0, %bb4 ], [ %3, %bb11 ], [ %y, %bb18 ], [ 0x400921FB54442D18, %bb17 ], [ %16, %bb54 ], [ %., %bb19 ], [ 0xC00921FB54442D18, %bb14 ], [ %17, %bb56 ], [ %.17, %bb40 ], [ %switch.load32, %switch.lookup30 ], [ %18, %bb55 ], [ %z.sroa.0.0, %bb53 ], [ %switch.load, %switch.lookup ]
  ret double %_0.sroa.0.0
}
define internal float @w.lib.404(float %0) nounwind {
start:
  %_24.sroa.0 = alloca float, align 4
  %_0.i = bitcast float %0 to i32
  %sign.not = icmp sgt i32 %_0.i, -1
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_9 = icmp ugt i32 %2, 1283457023
  br i1 %_9, label %bb3, label %bb10
bb10:
  %_17 = icmp ugt i32 %2, 1054867455
  br i1 %_17, label %bb12, label %bb11
bb3:
  %_0.i21 = fcmp uno float %0, 0.000000e+00
  %brmerge = or i1 %_0.i21, %sign.not
  %.mux = select i1 %_0.i21, float %0, float 0x3FF921FB40000000
  br i1 %brmerge, label %bb45, label %bb8
bb12:
  %_28 = icmp ult i32 %2, 1066926080
  br i1 %_28, label %bb20, label %bb24
bb11:
  %_19 = icmp ult i32 %2, 964689920
  br i1 %_19, label %bb13, label %bb29
bb24:
  %_38 = icmp ult i32 %2, 1075576832
  br i1 %_38, label %bb25, label %bb26
bb20:
  %_30 = icmp ult i32 %2, 1060110336
  br i1 %_30, label %bb21, label %bb22
bb26:
  %3 = fdiv float -1.000000e+00, %1
  br label %bb29
bb25:
  %_39 = fadd float %1, -1.500000e+00
  %_42 = fmul float %1, 1.500000e+00
  %_41 = fadd float %_42, 1.000000e+00
  %4 = fdiv float %_39, %_41
  br label %bb29
bb22:
  %_35 = fadd float %1, -1.000000e+00
  %_37 = fadd float %1, 1.000000e+00
  %5 = fdiv float %_35, %_37
  br label %bb29
bb21:
  %_32 = fmul float %1, 2.000000e+00
  %_31 = fadd float %_32, -1.000000e+00
  %_34 = fadd float %1, 2.000000e+00
  %6 = fdiv float %_31, %_34
  br label %bb29
bb29:
  %id.sroa.0.0 = phi i64 [ 3, %bb26 ], [ 0, %bb21 ], [ 1, %bb22 ], [ 2, %bb25 ], [ 4294967295, %bb11 ]
  %x.sroa.0.0 = phi float [ %3, %bb26 ], [ %6, %bb21 ], [ %5, %bb22 ], [ %4, %bb25 ], [ %0, %bb11 ]
  %7 = fmul float %x.sroa.0.0, %x.sroa.0.0
  %w = fmul float %7, %7
  %_59 = fmul float %w, 0x3FAF9584A0000000
  %_55 = fadd float %_59, 0x3FC23EA1A0000000
  %_54 = fmul float %w, %_55
  %_50 = fadd float %_54, 0x3FD5555520000000
  %s1 = fmul float %7, %_50
  %_68 = fmul float %w, 0x3FBB4248E0000000
  %8 = fsub float 0xBFC9995300000000, %_68
  %s2 = fmul float %w, %8
  br i1 %_17, label %bb36, label %bb35
bb13:
  %_21 = icmp ult i32 %2, 8388608
  br i1 %_21, label %bb14, label %bb45
bb36:
  %_0.i.i = getelementptr inbounds float, ptr @w.lib.92, i64 %id.sroa.0.0
  %_79 = load float, ptr %_0.i.i, align 4
  %_86 = fadd float %s2, %s1
  %_84 = fmul float %x.sroa.0.0, %_86
  %_0.i.i23 = getelementptr inbounds float, ptr @w.lib.93, i64 %id.sroa.0.0
  %_87 = load float, ptr %_0.i.i23, align 4
  %_83 = fsub float %_84, %_87
  %_82 = fsub float %_83, %x.sroa.0.0
  %z2 = fsub float %_79, %_82
  br i1 %sign.not, label %bb45, label %bb39
bb35:
  %_76 = fadd float %s2, %s1
  %_75 = fmul float %x.sroa.0.0, %_76
  %9 = fsub float %x.sroa.0.0, %_75
  br label %bb45
bb39:
  %10 = fneg float %z2
  br label %bb45
bb45:
  %_0.sroa.0.0 = phi float [ %0, %bb14 ], [ 0xBFF921FB40000000, %bb8 ], [ %.mux, %bb3 ], [ %z2, %bb36 ], [ %9, %bb35 ], [ %10, %bb39 ], [ %0, %bb13 ]
  ret float %_0.sroa.0.0
bb14:
  %11 = fmul float %0, %0
  store float %11, ptr %_24.sroa.0, align 4
  %_24.sroa.0.0._24.sroa.0.0._24.sroa.0.0._24.sroa.0.0. = load volatile float, ptr %_24.sroa.0, align 4
  br label %bb45
bb8:
  br label %bb45
}
define internal float @w.lib.406(float %x) nounwind {
start:
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_7 = icmp ugt i32 %1, 2139095039
  br i1 %_7, label %bb3, label %bb4
bb4:
  %_9 = icmp ult i32 %1, 8388608
  br i1 %_9, label %bb5, label %bb10
bb3:
  %2 = fadd float %x, %x
  br label %bb13
bb5:
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %bb13, label %bb8
bb10:
  %.sink15 = phi i32 [ %13, %bb8 ], [ %1, %bb4 ]
  %.sink = phi i32 [ 642849266, %bb8 ], [ 709958130, %bb4 ]
  %ui.sroa.0.0.in = phi float [ %_12, %bb8 ], [ %x, %bb4 ]
  %_14 = udiv i32 %.sink15, 3
  %4 = add nuw nsw i32 %_14, %.sink
  %5 = bitcast i32 %4 to float
  %_0.i13 = call float @llvm.copysign.f32(float %5, float %ui.sroa.0.0.in)
  %6 = fpext float %_0.i13 to double
  %_17 = fmul double %6, %6
  %7 = fmul double %_17, %6
  %_24 = fpext float %x to double
  %_23 = fadd double %_24, %_24
  %_22 = fadd double %_23, %7
  %_21 = fmul double %_22, %6
  %_27 = fadd double %7, %_24
  %_26 = fadd double %7, %_27
  %8 = fdiv double %_21, %_26
  %_29 = fmul double %8, %8
  %9 = fmul double %8, %_29
  %_34 = fadd double %_23, %9
  %_33 = fmul double %8, %_34
  %_37 = fadd double %9, %_24
  %_36 = fadd double %9, %_37
  %10 = fdiv double %_33, %_36
  %11 = fptrunc double %10 to float
  br label %bb13
bb8:
  %_12 = fmul float %x, 0x4170000000000000
  %12 = call float @llvm.fabs.f32(float %_12)
  %13 = bitcast float %12 to i32
  br label %bb10
bb13:
  %_0.sroa.0.0 = phi float [ %2, %bb3 ], [ %11, %bb10 ], [ %x, %bb5 ]
  ret float %_0.sroa.0.0
}
define internal float @w.lib.407(float %0) nounwind {
start:
  %_9.sroa.0 = alloca float, align 4
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_5 = icmp ult i32 %2, 1060205079
  br i1 %_5, label %bb4, label %bb9
bb9:
  %_15 = icmp ult i32 %2, 1118925335
  br i1 %_15, label %bb10, label %bb11
bb4:
  %_6 = icmp ult i32 %2, 964689920
  br i1 %_6, label %bb5, label %bb7
bb11:
  %_6.i = fadd float %1, 0xC0645C7780000000
  %_5.i = call float @w.lib.382(float %_6.i)
  %_4.i = fmul float %_5.i, 0x4740000000000000
  %_0.i11 = fmul float %_4.i, 0x4740000000000000
  br label %bb16
bb10:
  %t = call float @w.lib.382(float %1)
  %_18 = fdiv float 1.000000e+00, %t
  %_17 = fadd float %t, %_18
  %3 = fmul float %_17, 5.000000e-01
  br label %bb16
bb16:
  %_0.sroa.0.0 = phi float [ 1.000000e+00, %bb5 ], [ %4, %bb7 ], [ %3, %bb10 ], [ %_0.i11, %bb11 ]
  ret float %_0.sroa.0.0
bb7:
  %t1 = call float @w.lib.408(float %1)
  %_12 = fmul float %t1, %t1
  %_14 = fadd float %t1, 1.000000e+00
  %_13 = fmul float %_14, 2.000000e+00
  %_11 = fdiv float %_12, %_13
  %4 = fadd float %_11, 1.000000e+00
  br label %bb16
bb5:
  %5 = fadd float %1, 0x4770000000000000
  store float %5, ptr %_9.sroa.0, align 4
  %_9.sroa.0.0._9.sroa.0.0._9.sroa.0.0._9.sroa.0.0. = load volatile float, ptr %_9.sroa.0, align 4
  br label %bb16
}
define internal float @w.lib.410(float %0) nounwind {
start:
  %_21.sroa.0 = alloca float, align 4
  %_0.i = bitcast float %0 to i32
  %1 = call float @llvm.fabs.f32(float %0)
  %ix = bitcast float %1 to i32
  %_12 = icmp ugt i32 %ix, 1123811328
  br i1 %_12, label %bb8, label %bb19
bb19:
  %_24 = icmp ult i32 %ix, 855638017
  br i1 %_24, label %bb20, label %bb22
bb8:
  %_13 = icmp ugt i32 %ix, 2139095040
  br i1 %_13, label %bb29, label %bb10
bb20:
  %2 = fadd float %0, 1.000000e+00
  br label %bb29
bb22:
  %_26 = fadd float %0, 7.864320e+05
  %_0.i17 = bitcast float %_26 to i32
  %3 = add i32 %_0.i17, 8
  %k16 = lshr i32 %3, 4
  %_34 = add nuw nsw i32 %k16, 1023
  %_33 = zext nneg i32 %_34 to i64
  %_32 = shl i64 %_33, 52
  %_0.i18 = bitcast i64 %_32 to double
  %4 = and i32 %3, 15
  %5 = fadd float %_26, -7.864320e+05
  %_37 = fsub float %0, %5
  %z = fpext float %_37 to double
  %_42 = zext nneg i32 %4 to i64
  %_0.i.i = getelementptr inbounds i64, ptr @w.lib.95, i64 %_42
  %_3922 = load double, ptr %_0.i.i, align 8
  %t = fmul double %_3922, %z
  %_49 = fmul double %z, 0x3FCEBFBE00000000
  %_47 = fadd double %_49, 0x3FE62E4300000000
  %_46 = fmul double %_47, %t
  %_45 = fadd double %_3922, %_46
  %_53 = fmul double %z, %z
  %_52 = fmul double %_53, %t
  %_56 = fmul double %z, 0x3F83B2C9C0000000
  %_54 = fadd double %_56, 0x3FAC6B3480000000
  %_51 = fmul double %_54, %_52
  %r2 = fadd double %_45, %_51
  %_58 = fmul double %r2, %_0.i18
  %6 = fptrunc double %_58 to float
  br label %bb29
bb10:
  %_0.sroa.0.0.i.i = icmp sgt i32 %_0.i, 1124073471
  br i1 %_0.sroa.0.0.i.i, label %bb12, label %bb13
bb13:
  %_16 = icmp slt i32 %_0.i, 0
  br i1 %_16, label %bb14, label %bb22
bb12:
  %7 = fmul float %0, 0x47E0000000000000
  br label %bb29
bb14:
  %_17 = icmp ugt i32 %_0.i, -1021968385
  br i1 %_17, label %bb30, label %bb15
bb15:
  %_18 = and i32 %_0.i, 65535
  %8 = icmp eq i32 %_18, 0
  br i1 %8, label %bb22, label %bb16
bb30:
  %9 = fdiv float 0xB6A0000000000000, %0
  store float %9, ptr %_21.sroa.0, align 4
  %_21.sroa.0.0._21.sroa.0.0._21.sroa.0.0._21.sroa.0.0. = load volatile float, ptr %_21.sroa.0, align 4
  br label %bb29
bb16:
  %10 = fdiv float 0xB6A0000000000000, %0
  store float %10, ptr %_21.sroa.0, align 4
  %_21.sroa.0.0._21.sroa.0.0._21.sroa.0.0._21.sroa.0.0.21 = load volatile float, ptr %_21.sroa.0, align 4
  br label %bb22
bb29:
  %_0.sroa.0.0 = phi float [ %2, %bb20 ], [ %7, %bb12 ], [ 0.000000e+00, %bb30 ], [ %6, %bb22 ], [ %0, %bb8 ]
  ret float %_0.sroa.0.0
}
define internal double @w.lib.379(double %0) nounwind {
start:
  %x.sroa.0 = alloca double, align 8
  store double %0, ptr %x.sroa.0, align 8
  %_0.i = bitcast double %0 to i64
  %_12 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_12 to i32
  %hx = and i32 %1, 2147483647
  %_16 = icmp ugt i32 %hx, 1078159481
  br i1 %_16, label %bb2, label %bb11
bb11:
  %_22 = icmp ugt i32 %hx, 1071001154
  br i1 %_22, label %bb12, label %bb22
bb2:
  %_0.i15 = fcmp uno double %0, 0.000000e+00
  br i1 %_0.i15, label %bb53, label %bb5
bb5:
  %2 = icmp sgt i64 %_0.i, -1
  br i1 %2, label %bb7, label %bb53
bb7:
  %_19 = fcmp ogt double %0, 0x40862E42FEFA39EF
  br i1 %_19, label %bb8, label %bb17
bb8:
  %3 = fmul double %0, 0x7FE0000000000000
  br label %bb53
bb22:
  %_38 = icmp ult i32 %hx, 1016070144
  br i1 %_38, label %bb23, label %bb28
bb12:
  %_23 = icmp ult i32 %hx, 1072734898
  br i1 %_23, label %bb13, label %bb17
bb23:
  %_39 = icmp ult i32 %hx, 1048576
  br i1 %_39, label %bb24, label %bb53
bb28:
  %x.sroa.0.0.x.sroa.0.0._43 = phi double [ %13, %bb21 ], [ %0, %bb22 ]
  %k.sroa.0.0 = phi i32 [ %k.sroa.0.1, %bb21 ], [ 0, %bb22 ]
  %c.sroa.0.0 = phi double [ %14, %bb21 ], [ 0.000000e+00, %bb22 ]
  %hfx = fmul double %x.sroa.0.0.x.sroa.0.0._43, 5.000000e-01
  %hxs = fmul double %x.sroa.0.0.x.sroa.0.0._43, %hfx
  %_55 = fmul double %hxs, 0x3E8AFDB76E09C32D
  %4 = fsub double 0x3ED0CFCA86E65239, %_55
  %_53 = fmul double %hxs, %4
  %_52 = fadd double %_53, 0xBF14CE199EAADBB7
  %_51 = fmul double %hxs, %_52
  %_50 = fadd double %_51, 0x3F5A01A019FE5585
  %_49 = fmul double %hxs, %_50
  %_48 = fadd double %_49, 0xBFA11111111110F4
  %_47 = fmul double %hxs, %_48
  %r1 = fadd double %_47, 1.000000e+00
  %_56 = fmul double %hfx, %r1
  %5 = fsub double 3.000000e+00, %_56
  %_59 = fsub double %r1, %5
  %_62 = fmul double %x.sroa.0.0.x.sroa.0.0._43, %5
  %_61 = fsub double 6.000000e+00, %_62
  %_58 = fdiv double %_59, %_61
  %6 = fmul double %hxs, %_58
  %7 = icmp eq i32 %k.sroa.0.0, 0
  br i1 %7, label %bb29, label %bb30
bb24:
  %x.sroa.0.0.x.sroa.0.0.x.sroa.0.0.x.sroa.0.0.20 = load volatile double, ptr %x.sroa.0, align 8
  br label %bb53
bb17:
  %_27 = fmul double %0, 0x3FF71547652B82FE
  %. = call double @llvm.copysign.f64(double 5.000000e-01, double %0)
  %_26 = fadd double %_27, %.
  %8 = call i32 @llvm.fptosi.sat.i32.f64(double %_26)
  %9 = sitofp i32 %8 to double
  %_32 = fmul double %9, 0x3FE62E42FEE00000
  %10 = fsub double %0, %_32
  %11 = fmul double %9, 0x3DEA39EF35793C76
  br label %bb21
bb13:
  %12 = icmp sgt i64 %_0.i, -1
  br i1 %12, label %bb14, label %bb15
bb21:
  %k.sroa.0.1 = phi i32 [ 1, %bb14 ], [ -1, %bb15 ], [ %8, %bb17 ]
  %lo.sroa.0.0 = phi double [ 0x3DEA39EF35793C76, %bb14 ], [ 0xBDEA39EF35793C76, %bb15 ], [ %11, %bb17 ]
  %hi.sroa.0.0 = phi double [ %15, %bb14 ], [ %16, %bb15 ], [ %10, %bb17 ]
  %13 = fsub double %hi.sroa.0.0, %lo.sroa.0.0
  %_36 = fsub double %hi.sroa.0.0, %13
  %14 = fsub double %_36, %lo.sroa.0.0
  br label %bb28
bb14:
  %15 = fadd double %0, 0xBFE62E42FEE00000
  br label %bb21
bb15:
  %16 = fadd double %0, 0x3FE62E42FEE00000
  br label %bb21
bb29:
  %_67 = fmul double %x.sroa.0.0.x.sroa.0.0._43, %6
  %_66 = fsub double %_67, %hxs
  %17 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %_66
  br label %bb53
bb30:
  %_71 = fsub double %6, %c.sroa.0.0
  %_69 = fmul double %x.sroa.0.0.x.sroa.0.0._43, %_71
  %18 = fsub double %_69, %c.sroa.0.0
  %19 = fsub double %18, %hxs
  switch i32 %k.sroa.0.0, label %bb34 [
    i32 -1, label %bb31
    i32 1, label %bb33
  ]
bb31:
  %_75 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %19
  %_74 = fmul double %_75, 5.000000e-01
  %20 = fadd double %_74, -5.000000e-01
  br label %bb53
bb33:
  %_78 = fcmp olt double %x.sroa.0.0.x.sroa.0.0._43, -2.500000e-01
  br i1 %_78, label %bb35, label %bb36
bb34:
  %_87 = add i32 %k.sroa.0.0, 1023
  %_86 = zext i32 %_87 to i64
  %21 = shl i64 %_86, 52
  %_0.i16 = bitcast i64 %21 to double
  %_0.i.i.i = icmp ult i32 %k.sroa.0.0, 57
  br i1 %_0.i.i.i, label %bb39, label %bb40
bb36:
  %_84 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %19
  %_83 = fmul double %_84, 2.000000e+00
  %22 = fadd double %_83, 1.000000e+00
  br label %bb53
bb35:
  %_81 = fadd double %x.sroa.0.0.x.sroa.0.0._43, 5.000000e-01
  %_80 = fsub double %19, %_81
  %23 = fmul double %_80, -2.000000e+00
  br label %bb53
bb40:
  %_92 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %19
  %24 = fadd double %_92, 1.000000e+00
  %25 = icmp eq i32 %k.sroa.0.0, 1024
  %_95 = fmul double %24, 2.000000e+00
  %26 = fmul double %_95, 0x7FE0000000000000
  %27 = fmul double %24, %_0.i16
  %y.sroa.0.0 = select i1 %25, double %26, double %27
  %28 = fadd double %y.sroa.0.0, -1.000000e+00
  br label %bb53
bb39:
  %_99 = sub nuw nsw i32 1023, %k.sroa.0.0
  %_98 = zext nneg i32 %_99 to i64
  %29 = shl nuw nsw i64 %_98, 52
  %_0.i17 = bitcast i64 %29 to double
  %_102 = icmp ult i32 %k.sroa.0.0, 20
  br i1 %_102, label %bb46, label %bb47
bb47:
  %_111 = fadd double %19, %_0.i17
  %_109 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %_111
  %_108 = fadd double %_109, 1.000000e+00
  br label %bb48
bb46:
  %_105 = fsub double %x.sroa.0.0.x.sroa.0.0._43, %19
  %_107 = fsub double 1.000000e+00, %_0.i17
  %_104 = fadd double %_107, %_105
  br label %bb48
bb48:
  %_104.pn = phi double [ %_104, %bb46 ], [ %_108, %bb47 ]
  %y.sroa.0.1 = fmul double %_104.pn, %_0.i16
  br label %bb53
bb53:
  %_0.sroa.0.1 = phi double [ %y.sroa.0.1, %bb48 ], [ -1.000000e+00, %bb5 ], [ %3, %bb8 ], [ %17, %bb29 ], [ %20, %bb31 ], [ %23, %bb35 ], [ %22, %bb36 ], [ %28, %bb40 ], [ %0, %bb2 ], [ %0, %bb24 ], [ %0, %bb23 ]
  ret double %_0.sroa.0.1
}
define internal double @w.lib.333(double %x) nounwind {
start:
  %_0.i.i.i.i = bitcast double %x to i64
  %_0.i.i.i.i.i = lshr i64 %_0.i.i.i.i, 52
  %_0.i.i1.i.i.i.i = trunc nuw nsw i64 %_0.i.i.i.i.i to i32
  %_0.i.i8.i.i = and i32 %_0.i.i1.i.i.i.i, 2047
  %_0.i.i.i = add nsw i32 %_0.i.i8.i.i, -1023
  %_5.i.i = icmp ugt i32 %_0.i.i8.i.i, 1074
  br i1 %_5.i.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit, label %bb5.i.i
bb5.i.i:
  %_8.i.i = icmp ugt i32 %_0.i.i8.i.i, 1022
  br i1 %_8.i.i, label %bb6.i.i, label %bb7.i.i
bb7.i.i:
  %_0.i.i.i11.i.i = icmp sgt i64 %_0.i.i.i.i, -1
  br i1 %_0.i.i.i11.i.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit, label %bb29.i.i
bb6.i.i:
  %0 = zext nneg i32 %_0.i.i.i to i64
  %_0.i12.i.i = lshr i64 4503599627370495, %0
  %_0.i13.i.i = and i64 %_0.i12.i.i, %_0.i.i.i.i
  %_0.i16.i.i = icmp eq i64 %_0.i13.i.i, 0
  br i1 %_0.i16.i.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit, label %bb14.i.i
bb29.i.i:
  %_0.i20.not.i.i = fcmp oeq double %x, 0.000000e+00
  %.7.i.i = select i1 %_0.i20.not.i.i, double %x, double -1.000000e+00
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit
bb14.i.i:
  %_0.i.i21.i.i = icmp slt i64 %_0.i.i.i.i, 0
  %_3.0.i.i.i = select i1 %_0.i.i21.i.i, i64 %_0.i12.i.i, i64 0
  %spec.select.i.i = add nsw i64 %_3.0.i.i.i, %_0.i.i.i.i
  %_0.i22.i.i = ashr i64 -4503599627370496, %0
  %1 = and i64 %spec.select.i.i, %_0.i22.i.i
  %_0.i.i23.i.i = bitcast i64 %1 to double
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit
_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic5floor5floordEB8_.exit:
  %x.sroa.0.0.pn.i.i = phi double [ %x, %start ], [ 0.000000e+00, %bb7.i.i ], [ %_0.i.i23.i.i, %bb14.i.i ], [ %.7.i.i, %bb29.i.i ], [ %x, %bb6.i.i ]
  ret double %x.sroa.0.0.pn.i.i
}
define internal double @w.lib.353(double %x, double %y) nounwind {
start:
  %z = fmul double %x, %x
  %w = fmul double %z, %z
  %_10 = fmul double %z, 0x3EFA01A019CB1590
  %_9 = fadd double %_10, 0xBF56C16C16C15177
  %_8 = fmul double %z, %_9
  %_7 = fadd double %_8, 0x3FA555555555554C
  %_6 = fmul double %z, %_7
  %_12 = fmul double %w, %w
  %_16 = fmul double %z, 0x3DA8FAE9BE8838D4
  %0 = fsub double 0x3E21EE9EBDB4B1C4, %_16
  %_14 = fmul double %z, %0
  %_13 = fadd double %_14, 0xBE927E4F809C52AD
  %_11 = fmul double %_12, %_13
  %r = fadd double %_6, %_11
  %hz = fmul double %z, 5.000000e-01
  %w1 = fsub double 1.000000e+00, %hz
  %_21 = fsub double 1.000000e+00, %w1
  %_20 = fsub double %_21, %hz
  %_23 = fmul double %z, %r
  %_24 = fmul double %x, %y
  %_22 = fsub double %_23, %_24
  %_19 = fadd double %_20, %_22
  %_0 = fadd double %w1, %_19
  ret double %_0
}
define internal double @w.lib.370(double %0, double %1, i32 %odd) nounwind {
start:
  %_0.i = bitcast double %0 to i64
  %2 = and i64 %_0.i, 9223372002495037440
  %big = icmp ugt i64 %2, 4604249089280835584
  br i1 %big, label %bb2, label %bb5
bb5:
  %y.sroa.0.0 = phi double [ 0.000000e+00, %bb2 ], [ %1, %start ]
  %x.sroa.0.0 = phi double [ %7, %bb2 ], [ %0, %start ]
  %z = fmul double %x.sroa.0.0, %x.sroa.0.0
  %w1 = fmul double %z, %z
  %_28 = fmul double %w1, 0x3EF375CBDB605373
  %3 = fsub double 0x3F147E88A03792A6, %_28
  %_26 = fmul double %w1, %3
  %_25 = fadd double %_26, 0x3F4344D8F2F26501
  %_24 = fmul double %w1, %_25
  %_23 = fadd double %_24, 0x3F6D6D22C9560328
  %_22 = fmul double %w1, %_23
  %_21 = fadd double %_22, 0x3F9664F48406D637
  %_20 = fmul double %w1, %_21
  %r = fadd double %_20, 0x3FC111111110FE7A
  %_39 = fmul double %w1, 0x3EFB2A7074BF7AD4
  %_38 = fadd double %_39, 0x3F12B80F32F0A7E9
  %_37 = fmul double %w1, %_38
  %_36 = fadd double %_37, 0x3F3026F71A8D1068
  %_35 = fmul double %w1, %_36
  %_34 = fadd double %_35, 0x3F57DBC8FEE08315
  %_33 = fmul double %w1, %_34
  %_32 = fadd double %_33, 0x3F8226E3E96E8493
  %_31 = fmul double %w1, %_32
  %_30 = fadd double %_31, 0x3FABA1BA1BB341FE
  %v = fmul double %z, %_30
  %s = fmul double %x.sroa.0.0, %z
  %_48 = fadd double %r, %v
  %_47 = fmul double %s, %_48
  %_46 = fadd double %y.sroa.0.0, %_47
  %_45 = fmul double %z, %_46
  %_43 = fadd double %y.sroa.0.0, %_45
  %_49 = fmul double %s, 0x3FD5555555555563
  %r2 = fadd double %_49, %_43
  %4 = fadd double %x.sroa.0.0, %r2
  br i1 %big, label %bb6, label %bb10
bb2:
  %5 = fneg double %1
  %6 = icmp slt i64 %_0.i, 0
  %y.sroa.0.1 = select i1 %6, double %5, double %1
  %x.sroa.0.1 = call double @llvm.fabs.f64(double %0)
  %_13 = fsub double 0x3FE921FB54442D18, %x.sroa.0.1
  %_14 = fsub double 0x3C81A62633145C07, %y.sroa.0.1
  %7 = fadd double %_13, %_14
  br label %bb5
bb10:
  %8 = icmp eq i32 %odd, 0
  br i1 %8, label %bb15, label %bb12
bb6:
  %9 = shl nuw nsw i32 %odd, 1
  %_53 = uitofp nneg i32 %9 to double
  %s5 = fsub double 1.000000e+00, %_53
  %_60 = fmul double %4, %4
  %_61 = fadd double %s5, %4
  %_59 = fdiv double %_60, %_61
  %_58 = fsub double %r2, %_59
  %_57 = fadd double %x.sroa.0.0, %_58
  %_56 = fmul double %_57, 2.000000e+00
  %v6 = fsub double %s5, %_56
  %10 = icmp sgt i64 %_0.i, -1
  br i1 %10, label %bb15, label %bb7
bb12:
  %_0.i.i = bitcast double %4 to i64
  %_2.i = and i64 %_0.i.i, -4294967296
  %_0.i1.i = bitcast i64 %_2.i to double
  %_64 = fsub double %_0.i1.i, %x.sroa.0.0
  %v3 = fsub double %r2, %_64
  %a = fdiv double -1.000000e+00, %4
  %_0.i.i15 = bitcast double %a to i64
  %_2.i16 = and i64 %_0.i.i15, -4294967296
  %_0.i1.i17 = bitcast i64 %_2.i16 to double
  %_70 = fmul double %_0.i1.i, %_0.i1.i17
  %_69 = fadd double %_70, 1.000000e+00
  %_71 = fmul double %v3, %_0.i1.i17
  %_68 = fadd double %_69, %_71
  %_67 = fmul double %a, %_68
  %11 = fadd double %_67, %_0.i1.i17
  br label %bb15
bb15:
  %w.sroa.0.0 = phi double [ %11, %bb12 ], [ %12, %bb7 ], [ %4, %bb10 ], [ %v6, %bb6 ]
  ret double %w.sroa.0.0
bb7:
  %12 = fneg double %v6
  br label %bb15
}
define internal double @w.lib.417(double %0) nounwind {
start:
  %_0.i = bitcast double %0 to i64
  %_19 = lshr i64 %_0.i, 32
  %1 = trunc nuw i64 %_19 to i32
  %_23.not = icmp sgt i64 %_0.i, -1
  %or.cond = icmp sgt i64 %_0.i, 4503599627370495
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_35 = icmp ugt i64 %_0.i, 9218868437227405311
  br i1 %_35, label %bb26, label %bb14
bb14:
  %2 = icmp eq i64 %_19, 1072693248
  br i1 %2, label %bb15, label %bb20
bb15:
  %_38.mask = and i64 %_0.i, 4294967295
  %3 = icmp eq i64 %_38.mask, 0
  br i1 %3, label %bb26, label %bb20
bb20:
  %hx.sroa.0.0 = phi i32 [ %19, %bb10 ], [ 1072693248, %bb15 ], [ %1, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -1077, %bb10 ], [ -1023, %bb15 ], [ -1023, %bb14 ]
  %ui.sroa.0.0 = phi i64 [ %_0.i30, %bb10 ], [ %_0.i, %bb15 ], [ %_0.i, %bb14 ]
  %4 = add i32 %hx.sroa.0.0, 614242
  %_42 = lshr i32 %4, 20
  %5 = add nsw i32 %k.sroa.0.0, %_42
  %_44 = and i32 %4, 1048575
  %6 = add nuw nsw i32 %_44, 1072079006
  %_46 = zext nneg i32 %6 to i64
  %_45 = shl nuw nsw i64 %_46, 32
  %_47 = and i64 %ui.sroa.0.0, 4294967295
  %7 = or disjoint i64 %_45, %_47
  %_0.i27 = bitcast i64 %7 to double
  %f = fadd double %_0.i27, -1.000000e+00
  %_48 = fmul double %f, 5.000000e-01
  %hfsq = fmul double %f, %_48
  %_49 = fadd double %f, 2.000000e+00
  %s = fdiv double %f, %_49
  %z = fmul double %s, %s
  %8 = fmul double %z, %z
  %_55 = fmul double %8, 0x3FC39A09D078C69F
  %_54 = fadd double %_55, 0x3FCC71C51D8E78AF
  %_52 = fmul double %8, %_54
  %_51 = fadd double %_52, 0x3FD999999997FA04
  %t1 = fmul double %8, %_51
  %_64 = fmul double %8, 0x3FC2F112DF3E5244
  %_63 = fadd double %_64, 0x3FC7466496CB03DE
  %_61 = fmul double %8, %_63
  %_60 = fadd double %_61, 0x3FD2492494229359
  %_58 = fmul double %8, %_60
  %_57 = fadd double %_58, 0x3FE5555555555593
  %t2 = fmul double %z, %_57
  %r = fadd double %t1, %t2
  %9 = fsub double %f, %hfsq
  %_0.i28 = bitcast double %9 to i64
  %10 = and i64 %_0.i28, -4294967296
  %_0.i29 = bitcast i64 %10 to double
  %_68 = fsub double %f, %_0.i29
  %_67 = fsub double %_68, %hfsq
  %_71 = fadd double %hfsq, %r
  %_70 = fmul double %s, %_71
  %lo = fadd double %_67, %_70
  %11 = fmul double %_0.i29, 0x3FDBCB7B15200000
  %dk = sitofp i32 %5 to double
  %y = fmul double %dk, 0x3FD34413509F6000
  %_74 = fmul double %dk, 0x3D59FEF311F12B36
  %_76 = fadd double %lo, %_0.i29
  %_75 = fmul double %_76, 0x3DBB9438CA9AADD5
  %_73 = fadd double %_74, %_75
  %_77 = fmul double %lo, 0x3FDBCB7B15200000
  %12 = fadd double %_77, %_73
  %13 = fadd double %y, %11
  %_80 = fsub double %y, %13
  %_79 = fadd double %11, %_80
  %14 = fadd double %_79, %12
  %15 = fadd double %13, %14
  br label %bb26
bb6:
  %16 = fcmp oeq double %0, 0.000000e+00
  br i1 %16, label %bb7, label %bb8
bb7:
  %_27 = fmul double %0, %0
  %17 = fdiv double -1.000000e+00, %_27
  br label %bb26
bb8:
  br i1 %_23.not, label %bb10, label %bb9
bb10:
  %18 = fmul double %0, 0x4350000000000000
  %_0.i30 = bitcast double %18 to i64
  %_33 = lshr i64 %_0.i30, 32
  %19 = trunc nuw i64 %_33 to i32
  br label %bb20
bb9:
  %_31 = fsub double %0, %0
  %20 = fdiv double %_31, 0.000000e+00
  br label %bb26
bb26:
  %_0.sroa.0.0 = phi double [ %17, %bb7 ], [ %20, %bb9 ], [ %15, %bb20 ], [ %0, %bb12 ], [ 0.000000e+00, %bb15 ]
  ret double %_0.sroa.0.0
}
define internal double @w.lib.325(double %x) nounwind {
start:
  %_26.sroa.0 = alloca float, align 4
  %_0.i = bitcast double %x to i64
  %_14 = lshr i64 %_0.i, 32
  %hx = trunc nuw i64 %_14 to i32
  %or.cond = icmp slt i64 %_0.i, 4601133429810003968
  br i1 %or.cond, label %bb4, label %bb17
bb4:
  %_18 = icmp ugt i64 %_0.i, -4616189618054758401
  br i1 %_18, label %bb5, label %bb8
bb17:
  %_28 = icmp ugt i64 %_0.i, 9218868437227405311
  br i1 %_28, label %bb37, label %bb21
bb8:
  %_22 = shl i32 %hx, 1
  %_21 = icmp ult i32 %_22, 2034237440
  br i1 %_21, label %bb9, label %bb10
bb5:
  %_19 = fcmp oeq double %x, -1.000000e+00
  br i1 %_19, label %bb37, label %bb7
bb10:
  %_27 = icmp ult i64 %_0.i, -4624424114038243328
  br i1 %_27, label %bb34, label %bb21
bb9:
  %_23 = and i32 %hx, 2146435072
  %0 = icmp eq i32 %_23, 0
  br i1 %0, label %bb11, label %bb37
bb21:
  %_32 = fadd double %x, 1.000000e+00
  %_0.i14 = bitcast double %_32 to i64
  %_33 = lshr i64 %_0.i14, 32
  %1 = trunc nuw i64 %_33 to i32
  %2 = add i32 %1, 614242
  %_36 = lshr i32 %2, 20
  %3 = add nsw i32 %_36, -1023
  %_38 = icmp ult i32 %2, 1129316352
  br i1 %_38, label %bb23, label %bb31
bb34:
  %c.sroa.0.1 = phi double [ %c.sroa.0.2, %bb31 ], [ 0.000000e+00, %bb10 ]
  %k.sroa.0.1 = phi double [ %12, %bb31 ], [ 0.000000e+00, %bb10 ]
  %f.sroa.0.1 = phi double [ %11, %bb31 ], [ %x, %bb10 ]
  %_56 = fmul double %f.sroa.0.1, 5.000000e-01
  %hfsq = fmul double %f.sroa.0.1, %_56
  %_60 = fadd double %f.sroa.0.1, 2.000000e+00
  %s = fdiv double %f.sroa.0.1, %_60
  %z = fmul double %s, %s
  %w = fmul double %z, %z
  %_65 = fmul double %w, 0x3FC39A09D078C69F
  %_64 = fadd double %_65, 0x3FCC71C51D8E78AF
  %_63 = fmul double %w, %_64
  %_62 = fadd double %_63, 0x3FD999999997FA04
  %t1 = fmul double %w, %_62
  %_71 = fmul double %w, 0x3FC2F112DF3E5244
  %_70 = fadd double %_71, 0x3FC7466496CB03DE
  %_69 = fmul double %w, %_70
  %_68 = fadd double %_69, 0x3FD2492494229359
  %_67 = fmul double %w, %_68
  %_66 = fadd double %_67, 0x3FE5555555555593
  %t2 = fmul double %z, %_66
  %r = fadd double %t1, %t2
  %_76 = fadd double %hfsq, %r
  %_75 = fmul double %s, %_76
  %_78 = fmul double %k.sroa.0.1, 0x3DEA39EF35793C76
  %_77 = fadd double %c.sroa.0.1, %_78
  %_74 = fadd double %_77, %_75
  %_73 = fsub double %_74, %hfsq
  %_72 = fadd double %f.sroa.0.1, %_73
  %_79 = fmul double %k.sroa.0.1, 0x3FE62E42FEE00000
  %4 = fadd double %_79, %_72
  br label %bb37
bb23:
  %_41 = icmp ugt i32 %2, 1074790399
  %5 = fsub double %x, %_32
  %6 = fadd double %5, 1.000000e+00
  %_46 = fadd double %_32, -1.000000e+00
  %7 = fsub double %x, %_46
  %c.sroa.0.3 = select i1 %_41, double %6, double %7
  %8 = fdiv double %c.sroa.0.3, %_32
  br label %bb31
bb31:
  %c.sroa.0.2 = phi double [ %8, %bb23 ], [ 0.000000e+00, %bb21 ]
  %_51 = and i32 %2, 1048575
  %9 = add nuw nsw i32 %_51, 1072079006
  %_53 = zext nneg i32 %9 to i64
  %_52 = shl nuw nsw i64 %_53, 32
  %_54 = and i64 %_0.i14, 4294967295
  %10 = or disjoint i64 %_52, %_54
  %_0.i15 = bitcast i64 %10 to double
  %11 = fadd double %_0.i15, -1.000000e+00
  %12 = sitofp i32 %3 to double
  br label %bb34
bb37:
  %_0.sroa.0.0 = phi double [ %x, %bb11 ], [ %14, %bb7 ], [ %x, %bb17 ], [ %4, %bb34 ], [ %x, %bb9 ], [ 0xFFF0000000000000, %bb5 ]
  ret double %_0.sroa.0.0
bb11:
  %13 = fptrunc double %x to float
  store float %13, ptr %_26.sroa.0, align 4
  %_26.sroa.0.0._26.sroa.0.0._26.sroa.0.0._26.sroa.0.0. = load volatile float, ptr %_26.sroa.0, align 4
  br label %bb37
bb7:
  %_20 = fsub double %x, %x
  %14 = fdiv double %_20, 0.000000e+00
  br label %bb37
}
define internal float @w.lib.418(float %0) nounwind {
start:
  %_0.i = bitcast float %0 to i32
  %_16.not = icmp sgt i32 %_0.i, -1
  %or.cond = icmp sgt i32 %_0.i, 8388607
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_27 = icmp ugt i32 %_0.i, 2139095039
  br i1 %_27, label %bb23, label %bb14
bb14:
  %1 = icmp eq i32 %_0.i, 1065353216
  br i1 %1, label %bb23, label %bb17
bb17:
  %ui.sroa.0.0 = phi i32 [ %_0.i23, %bb10 ], [ %_0.i, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -152, %bb10 ], [ -127, %bb14 ]
  %2 = add i32 %ui.sroa.0.0, 4913933
  %_32 = lshr i32 %2, 23
  %3 = add nsw i32 %k.sroa.0.0, %_32
  %_34 = and i32 %2, 8388607
  %4 = add nuw nsw i32 %_34, 1060439283
  %_0.i20 = bitcast i32 %4 to float
  %f = fadd float %_0.i20, -1.000000e+00
  %_35 = fadd float %f, 2.000000e+00
  %s = fdiv float %f, %_35
  %z = fmul float %s, %s
  %w = fmul float %z, %z
  %_37 = fmul float %w, 0x3FCF13C4C0000000
  %_36 = fadd float %_37, 0x3FD999C260000000
  %t1 = fmul float %w, %_36
  %_39 = fmul float %w, 0x3FD23D3DC0000000
  %_38 = fadd float %_39, 0x3FE5555540000000
  %t2 = fmul float %z, %_38
  %r = fadd float %t2, %t1
  %_40 = fmul float %f, 5.000000e-01
  %hfsq = fmul float %f, %_40
  %5 = fsub float %f, %hfsq
  %_0.i21 = bitcast float %5 to i32
  %6 = and i32 %_0.i21, -4096
  %_0.i22 = bitcast i32 %6 to float
  %_44 = fsub float %f, %_0.i22
  %_43 = fsub float %_44, %hfsq
  %_47 = fadd float %hfsq, %r
  %_46 = fmul float %s, %_47
  %lo = fadd float %_43, %_46
  %_51 = fadd float %lo, %_0.i22
  %_50 = fmul float %_51, 0x3F27135A80000000
  %_53 = fmul float %lo, 0x3FF7160000000000
  %7 = fsub float %_53, %_50
  %_54 = fmul float %_0.i22, 0x3FF7160000000000
  %_48 = fadd float %_54, %7
  %_55 = sitofp i32 %3 to float
  %8 = fadd float %_48, %_55
  br label %bb23
bb6:
  %9 = fcmp oeq float %0, 0.000000e+00
  br i1 %9, label %bb7, label %bb8
bb7:
  %_21 = fmul float %0, %0
  %10 = fdiv float -1.000000e+00, %_21
  br label %bb23
bb8:
  br i1 %_16.not, label %bb10, label %bb9
bb10:
  %11 = fmul float %0, 0x4180000000000000
  %_0.i23 = bitcast float %11 to i32
  br label %bb17
bb9:
  %_25 = fsub float %0, %0
  %12 = fdiv float %_25, 0.000000e+00
  br label %bb23
bb23:
  %_0.sroa.0.0 = phi float [ %10, %bb7 ], [ %12, %bb9 ], [ %8, %bb17 ], [ %0, %bb12 ], [ 0.000000e+00, %bb14 ]
  ret float %_0.sroa.0.0
}
define internal float @w.lib.422(float %x) nounwind {
start:
  %h.sroa.0.0 = call float @llvm.copysign.f32(float 5.000000e-01, float %x)
  %0 = call float @llvm.fabs.f32(float %x)
  %1 = bitcast float %0 to i32
  %_9 = icmp ult i32 %1, 1118925335
  br i1 %_9, label %bb6, label %bb12
bb12:
  %_21 = fmul float %h.sroa.0.0, 2.000000e+00
  %_6.i = fadd float %0, 0xC0645C7780000000
  %_5.i = call float @w.lib.382(float %_6.i)
  %_4.i = fmul float %_5.i, 0x4740000000000000
  %_0.i9 = fmul float %_4.i, 0x4740000000000000
  %2 = fmul float %_21, %_0.i9
  br label %bb16
bb6:
  %t = call float @w.lib.408(float %0)
  %_11 = icmp ult i32 %1, 1065353216
  br i1 %_11, label %bb8, label %bb11
bb16:
  %_0.sroa.0.0 = phi float [ %2, %bb12 ], [ %4, %bb10 ], [ %3, %bb11 ], [ %x, %bb8 ]
  ret float %_0.sroa.0.0
bb11:
  %_20 = fadd float %t, 1.000000e+00
  %_19 = fdiv float %t, %_20
  %_18 = fadd float %t, %_19
  %3 = fmul float %h.sroa.0.0, %_18
  br label %bb16
bb8:
  %_12 = icmp ult i32 %1, 964689920
  br i1 %_12, label %bb16, label %bb10
bb10:
  %_14 = fmul float %t, 2.000000e+00
  %_16 = fmul float %t, %t
  %_17 = fadd float %t, 1.000000e+00
  %_15 = fdiv float %_16, %_17
  %_13 = fsub float %_14, %_15
  %4 = fmul float %h.sroa.0.0, %_13
  br label %bb16
}
define internal float @w.lib.423(float %0) nounwind {
start:
  %_25.sroa.0 = alloca float, align 4
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_7 = icmp ugt i32 %2, 1057791828
  br i1 %_7, label %bb3, label %bb8
bb8:
  %_14 = icmp ugt i32 %2, 1048757624
  br i1 %_14, label %bb9, label %bb11
bb3:
  %_8 = icmp ugt i32 %2, 1092616192
  br i1 %_8, label %bb4, label %bb5
bb11:
  %_18 = icmp ugt i32 %2, 8388607
  br i1 %_18, label %bb12, label %bb14
bb9:
  %_16 = fmul float %1, 2.000000e+00
  %t1 = call float @w.lib.408(float %_16)
  %_17 = fadd float %t1, 2.000000e+00
  %3 = fdiv float %t1, %_17
  br label %bb18
bb14:
  %4 = fmul float %0, %0
  store float %4, ptr %_25.sroa.0, align 4
  %_25.sroa.0.0._25.sroa.0.0._25.sroa.0.0._25.sroa.0.0. = load volatile float, ptr %_25.sroa.0, align 4
  br label %bb18
bb12:
  %_20 = fmul float %1, -2.000000e+00
  %t = call float @w.lib.408(float %_20)
  %_21 = fneg float %t
  %_22 = fadd float %t, 2.000000e+00
  %5 = fdiv float %_21, %_22
  br label %bb18
bb18:
  %x.sroa.0.0 = phi float [ %8, %bb4 ], [ %7, %bb5 ], [ %3, %bb9 ], [ %5, %bb12 ], [ %1, %bb14 ]
  %_0.i = bitcast float %0 to i32
  %6 = fneg float %x.sroa.0.0
  %sign.not16 = icmp slt i32 %_0.i, 0
  %_0.sroa.0.0 = select i1 %sign.not16, float %6, float %x.sroa.0.0
  ret float %_0.sroa.0.0
bb5:
  %_11 = fmul float %1, 2.000000e+00
  %t2 = call float @w.lib.408(float %_11)
  %_13 = fadd float %t2, 2.000000e+00
  %_12 = fdiv float 2.000000e+00, %_13
  %7 = fsub float 1.000000e+00, %_12
  br label %bb18
bb4:
  %_9 = fdiv float 0.000000e+00, %1
  %8 = fadd float %_9, 1.000000e+00
  br label %bb18
}
define internal float @w.lib.429(float %y, float %x) nounwind {
start:
  %or.cond23 = fcmp uno float %x, %y
  br i1 %or.cond23, label %bb4, label %bb5
bb4:
  %0 = fadd float %y, %x
  br label %bb57
bb5:
  %_0.i21 = bitcast float %x to i32
  %1 = icmp eq i32 %_0.i21, 1065353216
  br i1 %1, label %bb8, label %bb10
bb8:
  %2 = call float @w.lib.404(float %y)
  br label %bb57
bb10:
  %_0.i22 = bitcast float %y to i32
  %_10 = lshr i32 %_0.i22, 31
  %_13 = lshr i32 %_0.i21, 30
  %_12 = and i32 %_13, 2
  %m = or disjoint i32 %_12, %_10
  %3 = call float @llvm.fabs.f32(float %x)
  %4 = bitcast float %3 to i32
  %5 = call float @llvm.fabs.f32(float %y)
  %6 = bitcast float %5 to i32
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %bb11, label %bb12
bb11:
  switch i32 %m, label %default.unreachable24 [
    i32 0, label %bb15
    i32 1, label %bb15
    i32 2, label %bb14
    i32 3, label %bb57
  ]
bb12:
  switch i32 %4, label %bb22 [
    i32 0, label %bb16
    i32 2139095040, label %bb21
  ]
default.unreachable24:
  unreachable
bb15:
  br label %bb57
bb14:
  br label %bb57
bb16:
  %. = call float @llvm.copysign.f32(float 0x3FF921FB60000000, float %y)
  br label %bb57
bb21:
  %8 = icmp eq i32 %6, 2139095040
  %9 = zext nneg i32 %m to i64
  br i1 %8, label %switch.lookup, label %switch.lookup25
bb22:
  %_20 = add nuw i32 %4, 218103808
  %_19 = icmp ult i32 %_20, %6
  %10 = icmp eq i32 %6, 2139095040
  %or.cond = or i1 %10, %_19
  br i1 %or.cond, label %bb38, label %bb37
bb37:
  %11 = icmp ne i32 %_12, 0
  %_28 = add nuw i32 %6, 218103808
  %_27 = icmp ult i32 %_28, %4
  %or.cond19 = select i1 %11, i1 %_27, i1 false
  br i1 %or.cond19, label %bb49, label %bb46
bb38:
  %.18 = call float @llvm.copysign.f32(float 0x3FF921FB60000000, float %y)
  br label %bb57
bb46:
  %_30 = fdiv float %y, %x
  %12 = call float @llvm.fabs.f32(float %_30)
  %13 = call float @w.lib.404(float %12)
  br label %bb49
bb49:
  %z.sroa.0.0 = phi float [ %13, %bb46 ], [ 0.000000e+00, %bb37 ]
  switch i32 %m, label %default.unreachable24 [
    i32 0, label %bb57
    i32 1, label %bb52
    i32 2, label %bb51
    i32 3, label %bb50
  ]
bb50:
  %_32 = fadd float %z.sroa.0.0, 0x3E7777A5C0000000
  %14 = fadd float %_32, 0xC00921FB60000000
  br label %bb57
bb52:
  %15 = fneg float %z.sroa.0.0
  br label %bb57
bb51:
  %_31 = fadd float %z.sroa.0.0, 0x3E7777A5C0000000
  %16 = fsub float 0x400921FB60000000, %_31
  br label %bb57
switch.lookup:
  %switch.gep = getelementptr inbounds float, ptr @w.lib.114, i64 %9
  %switch.load = load float, ptr %switch.gep, align 4
  br label %bb57
switch.lookup25:
  %switch.gep26 = getelementptr inbounds float, ptr @w.lib.115, i64 %9
  %switch.load27 = load float, ptr %switch.gep26, align 4
  br label %bb57
bb57:
  %_0.sroa.0.0 = phi float [ %0, %bb4 ], [ %2, %bb8 ], [ %y, %bb15 ], [ 0x400921FB60000000, %bb14 ], [ %14, %bb50 ], [ %., %bb16 ], [ 0xC00921FB60000000, %bb11 ], [ %15, %bb52 ], [ %.18, %bb38 ], [ %switch.load27, %switch.lookup25 ], [ %16, %bb51 ], [ %z.sroa.0.0, %bb49 ], [ %switch.load, %switch.lookup ]
  ret float %_0.sroa.0.0
}
define internal float @w.lib.408(float %0) nounwind {
start:
  %_37.sroa.0 = alloca float, align 4
  %_0.i = bitcast float %0 to i32
  %sign.not = icmp slt i32 %_0.i, 0
  %1 = call float @llvm.fabs.f32(float %0)
  %2 = bitcast float %1 to i32
  %_8 = icmp ugt i32 %2, 1100331075
  br i1 %_8, label %bb3, label %bb10
bb10:
  %3 = icmp ugt i32 %2, 1051816472
  br i1 %3, label %bb11, label %bb20
bb3:
  %_10 = icmp ugt i32 %2, 2139095040
  %brmerge = or i1 %sign.not, %_10
  %.mux = select i1 %_10, float %0, float -1.000000e+00
  br i1 %brmerge, label %bb52, label %bb7
bb20:
  %_32 = icmp ult i32 %2, 855638016
  br i1 %_32, label %bb21, label %bb27
bb11:
  %4 = icmp ult i32 %2, 1065686418
  br i1 %4, label %bb12, label %bb15
bb15:
  br i1 %sign.not, label %bb16, label %bb18
bb12:
  br i1 %sign.not, label %bb14, label %bb13
bb16:
  br label %bb18
bb18:
  %_24.sroa.0.0 = phi float [ -5.000000e-01, %bb16 ], [ 5.000000e-01, %bb15 ], [ 5.000000e-01, %bb7 ]
  %_22.sroa.0.1 = fmul float %0, 0x3FF7154760000000
  %_21 = fadd float %_22.sroa.0.1, %_24.sroa.0.0
  %5 = call i32 @llvm.fptosi.sat.i32.f32(float %_21)
  %t = sitofp i32 %5 to float
  %_27 = fmul float %t, 0x3FE62E3000000000
  %6 = fsub float %0, %_27
  %7 = fmul float %t, 0x3EE2FEFA20000000
  br label %bb19
bb13:
  %8 = fadd float %0, 0xBFE62E3000000000
  br label %bb19
bb14:
  %9 = fadd float %0, 0x3FE62E3000000000
  br label %bb19
bb19:
  %k.sroa.0.0 = phi i32 [ %5, %bb18 ], [ 1, %bb13 ], [ -1, %bb14 ]
  %lo.sroa.0.0 = phi float [ %7, %bb18 ], [ 0x3EE2FEFA20000000, %bb13 ], [ 0xBEE2FEFA20000000, %bb14 ]
  %hi.sroa.0.0 = phi float [ %6, %bb18 ], [ %8, %bb13 ], [ %9, %bb14 ]
  %10 = fsub float %hi.sroa.0.0, %lo.sroa.0.0
  %_30 = fsub float %hi.sroa.0.0, %10
  %11 = fsub float %_30, %lo.sroa.0.0
  br label %bb27
bb7:
  %_12 = icmp ugt i32 %2, 1118925335
  br i1 %_12, label %bb8, label %bb18
bb8:
  %12 = fmul float %0, 0x47E0000000000000
  br label %bb52
bb21:
  %_34 = icmp ult i32 %2, 8388608
  br i1 %_34, label %bb22, label %bb52
bb27:
  %c.sroa.0.1 = phi float [ %11, %bb19 ], [ 0.000000e+00, %bb20 ]
  %x.sroa.0.0 = phi float [ %10, %bb19 ], [ %0, %bb20 ]
  %13 = phi i32 [ %k.sroa.0.0, %bb19 ], [ 0, %bb20 ]
  %hfx = fmul float %x.sroa.0.0, 5.000000e-01
  %hxs = fmul float %x.sroa.0.0, %hfx
  %_47 = fmul float %hxs, 0x3F59E60200000000
  %_46 = fadd float %_47, 0xBFA1110D00000000
  %_45 = fmul float %hxs, %_46
  %r1 = fadd float %_45, 1.000000e+00
  %_49 = fmul float %hfx, %r1
  %t1 = fsub float 3.000000e+00, %_49
  %_52 = fsub float %r1, %t1
  %_54 = fmul float %x.sroa.0.0, %t1
  %_53 = fsub float 6.000000e+00, %_54
  %_51 = fdiv float %_52, %_53
  %14 = fmul float %hxs, %_51
  %15 = icmp eq i32 %13, 0
  br i1 %15, label %bb28, label %bb29
bb22:
  %16 = fmul float %0, %0
  store float %16, ptr %_37.sroa.0, align 4
  %_37.sroa.0.0._37.sroa.0.0._37.sroa.0.0._37.sroa.0.0. = load volatile float, ptr %_37.sroa.0, align 4
  br label %bb52
bb28:
  %_59 = fmul float %x.sroa.0.0, %14
  %_58 = fsub float %_59, %hxs
  %17 = fsub float %x.sroa.0.0, %_58
  br label %bb52
bb29:
  %_62 = fsub float %14, %c.sroa.0.1
  %_60 = fmul float %x.sroa.0.0, %_62
  %18 = fsub float %_60, %c.sroa.0.1
  %19 = fsub float %18, %hxs
  switch i32 %13, label %bb33 [
    i32 -1, label %bb30
    i32 1, label %bb32
  ]
bb30:
  %_66 = fsub float %x.sroa.0.0, %19
  %_65 = fmul float %_66, 5.000000e-01
  %20 = fadd float %_65, -5.000000e-01
  br label %bb52
bb32:
  %_68 = fcmp olt float %x.sroa.0.0, -2.500000e-01
  br i1 %_68, label %bb34, label %bb35
bb33:
  %_77 = shl i32 %13, 23
  %_76 = add i32 %_77, 1065353216
  %_0.i41 = bitcast i32 %_76 to float
  %_0.i.i.i = icmp ult i32 %13, 57
  br i1 %_0.i.i.i, label %bb38, label %bb39
bb35:
  %_73 = fsub float %x.sroa.0.0, %19
  %_72 = fmul float %_73, 2.000000e+00
  %21 = fadd float %_72, 1.000000e+00
  br label %bb52
bb34:
  %_71 = fadd float %x.sroa.0.0, 5.000000e-01
  %_70 = fsub float %19, %_71
  %22 = fmul float %_70, -2.000000e+00
  br label %bb52
bb39:
  %_82 = fsub float %x.sroa.0.0, %19
  %23 = fadd float %_82, 1.000000e+00
  %24 = icmp eq i32 %13, 128
  %_84 = fmul float %23, 2.000000e+00
  %25 = fmul float %_84, 0x47E0000000000000
  %26 = fmul float %23, %_0.i41
  %y.sroa.0.0 = select i1 %24, float %25, float %26
  %27 = fadd float %y.sroa.0.0, -1.000000e+00
  br label %bb52
bb38:
  %_88 = sub nuw nsw i32 1065353216, %_77
  %_0.i42 = bitcast i32 %_88 to float
  %_91 = icmp ult i32 %13, 23
  br i1 %_91, label %bb44, label %bb45
bb45:
  %_98 = fadd float %19, %_0.i42
  %_97 = fsub float %x.sroa.0.0, %_98
  %_96 = fadd float %_97, 1.000000e+00
  br label %bb46
bb44:
  %_94 = fsub float %x.sroa.0.0, %19
  %_95 = fsub float 1.000000e+00, %_0.i42
  %_93 = fadd float %_95, %_94
  br label %bb46
bb46:
  %_93.pn = phi float [ %_93, %bb44 ], [ %_96, %bb45 ]
  %_0.sroa.0.1 = fmul float %_93.pn, %_0.i41
  br label %bb52
bb52:
  %_0.sroa.0.2 = phi float [ %_0.sroa.0.1, %bb46 ], [ %.mux, %bb3 ], [ %12, %bb8 ], [ %17, %bb28 ], [ %20, %bb30 ], [ %22, %bb34 ], [ %21, %bb35 ], [ %27, %bb39 ], [ %0, %bb21 ], [ %0, %bb22 ]
  ret float %_0.sroa.0.2
}
define internal float @w.lib.437(float %0) nounwind {
start:
  %_0.i = bitcast float %0 to i32
  %_17.not = icmp sgt i32 %_0.i, -1
  %or.cond = icmp sgt i32 %_0.i, 8388607
  br i1 %or.cond, label %bb12, label %bb6
bb12:
  %_28 = icmp ugt i32 %_0.i, 2139095039
  br i1 %_28, label %bb23, label %bb14
bb14:
  %1 = icmp eq i32 %_0.i, 1065353216
  br i1 %1, label %bb23, label %bb17
bb17:
  %ui.sroa.0.0 = phi i32 [ %_0.i23, %bb10 ], [ %_0.i, %bb14 ]
  %k.sroa.0.0 = phi i32 [ -152, %bb10 ], [ -127, %bb14 ]
  %2 = add i32 %ui.sroa.0.0, 4913933
  %_33 = lshr i32 %2, 23
  %3 = add nsw i32 %k.sroa.0.0, %_33
  %_35 = and i32 %2, 8388607
  %4 = add nuw nsw i32 %_35, 1060439283
  %_0.i20 = bitcast i32 %4 to float
  %f = fadd float %_0.i20, -1.000000e+00
  %_36 = fadd float %f, 2.000000e+00
  %s = fdiv float %f, %_36
  %z = fmul float %s, %s
  %w = fmul float %z, %z
  %_38 = fmul float %w, 0x3FCF13C4C0000000
  %_37 = fadd float %_38, 0x3FD999C260000000
  %t1 = fmul float %w, %_37
  %_40 = fmul float %w, 0x3FD23D3DC0000000
  %_39 = fadd float %_40, 0x3FE5555540000000
  %t2 = fmul float %z, %_39
  %r = fadd float %t2, %t1
  %_41 = fmul float %f, 5.000000e-01
  %hfsq = fmul float %f, %_41
  %5 = fsub float %f, %hfsq
  %_0.i21 = bitcast float %5 to i32
  %6 = and i32 %_0.i21, -4096
  %_0.i22 = bitcast i32 %6 to float
  %_45 = fsub float %f, %_0.i22
  %_44 = fsub float %_45, %hfsq
  %_48 = fadd float %hfsq, %r
  %_47 = fmul float %s, %_48
  %lo = fadd float %_44, %_47
  %dk = sitofp i32 %3 to float
  %_52 = fmul float %dk, 0x3EAA84FB60000000
  %_54 = fadd float %lo, %_0.i22
  %_53 = fmul float %_54, 0x3F009D5B20000000
  %7 = fsub float %_52, %_53
  %_56 = fmul float %lo, 0x3FDBCC0000000000
  %_50 = fadd float %_56, %7
  %_57 = fmul float %_0.i22, 0x3FDBCC0000000000
  %_49 = fadd float %_57, %_50
  %_58 = fmul float %dk, 0x3FD3441000000000
  %8 = fadd float %_58, %_49
  br label %bb23
bb6:
  %9 = fcmp oeq float %0, 0.000000e+00
  br i1 %9, label %bb7, label %bb8
bb7:
  %_22 = fmul float %0, %0
  %10 = fdiv float -1.000000e+00, %_22
  br label %bb23
bb8:
  br i1 %_17.not, label %bb10, label %bb9
bb10:
  %11 = fmul float %0, 0x4180000000000000
  %_0.i23 = bitcast float %11 to i32
  br label %bb17
bb9:
  %_26 = fsub float %0, %0
  %12 = fdiv float %_26, 0.000000e+00
  br label %bb23
bb23:
  %_0.sroa.0.0 = phi float [ %10, %bb7 ], [ %12, %bb9 ], [ %8, %bb17 ], [ %0, %bb12 ], [ 0.000000e+00, %bb14 ]
  ret float %_0.sroa.0.0
}
define internal double @w.lib.332(double %x, i32 %n) nounwind {
start:
  %_12.i = icmp sgt i32 %n, 1023
  br i1 %_12.i, label %bb4.i, label %bb13.i
bb13.i:
  %_22.i = icmp slt i32 %n, -1022
  br i1 %_22.i, label %bb15.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit
bb4.i:
  %0 = fmul double %x, 0x7FE0000000000000
  %1 = add nsw i32 %n, -1023
  %_16.i = icmp ugt i32 %n, 2046
  br i1 %_16.i, label %bb6.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit
bb15.i:
  %2 = fmul double %x, 0x360000000000000
  %3 = add nuw nsw i32 %n, 969
  %_31.i = icmp ult i32 %n, -1991
  br i1 %_31.i, label %bb18.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit
bb18.i:
  %4 = fmul double %2, 0x360000000000000
  %5 = call i32 @llvm.umax.i32(i32 %n, i32 -2960)
  %spec.store.select.i = add nuw nsw i32 %5, 1938
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit
bb6.i:
  %6 = fmul double %0, 0x7FE0000000000000
  %7 = call i32 @llvm.umin.i32(i32 %n, i32 3069)
  %spec.store.select4.i = add nsw i32 %7, -2046
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit
_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbndEB8_.exit:
  %x.sroa.0.0.i = phi double [ %6, %bb6.i ], [ %0, %bb4.i ], [ %4, %bb18.i ], [ %2, %bb15.i ], [ %x, %bb13.i ]
  %n.sroa.0.0.i = phi i32 [ %spec.store.select4.i, %bb6.i ], [ %1, %bb4.i ], [ %spec.store.select.i, %bb18.i ], [ %3, %bb15.i ], [ %n, %bb13.i ]
  %_63.i = add nsw i32 %n.sroa.0.0.i, 1023
  %_0.i.i.i.i = zext nneg i32 %_63.i to i64
  %_0.i1.i.i = shl nuw nsw i64 %_0.i.i.i.i, 52
  %_0.i.i5.i.i = bitcast i64 %_0.i1.i.i to double
  %_0.i.i = fmul double %x.sroa.0.0.i, %_0.i.i5.i.i
  ret double %_0.i.i
}
define internal float @w.lib.385(float %x, i32 %n) nounwind {
start:
  %_12.i = icmp sgt i32 %n, 127
  br i1 %_12.i, label %bb4.i, label %bb13.i
bb13.i:
  %_22.i = icmp slt i32 %n, -126
  br i1 %_22.i, label %bb15.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit
bb4.i:
  %0 = fmul float %x, 0x47E0000000000000
  %1 = add nsw i32 %n, -127
  %_16.i = icmp ugt i32 %n, 254
  br i1 %_16.i, label %bb6.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit
bb15.i:
  %2 = fmul float %x, 0x3990000000000000
  %3 = add nuw nsw i32 %n, 102
  %_31.i = icmp ult i32 %n, -228
  br i1 %_31.i, label %bb18.i, label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit
bb18.i:
  %4 = fmul float %2, 0x3990000000000000
  %5 = call i32 @llvm.umax.i32(i32 %n, i32 -330)
  %spec.store.select.i = add nuw nsw i32 %5, 204
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit
bb6.i:
  %6 = fmul float %0, 0x47E0000000000000
  %7 = call i32 @llvm.umin.i32(i32 %n, i32 381)
  %spec.store.select4.i = add nsw i32 %7, -254
  br label %_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit
_RINvNtNtNtCsh537bOAIRKx_3lib4math7generic6scalbn6scalbnfEB8_.exit:
  %x.sroa.0.0.i = phi float [ %6, %bb6.i ], [ %0, %bb4.i ], [ %4, %bb18.i ], [ %2, %bb15.i ], [ %x, %bb13.i ]
  %n.sroa.0.0.i = phi i32 [ %spec.store.select4.i, %bb6.i ], [ %1, %bb4.i ], [ %spec.store.select.i, %bb18.i ], [ %3, %bb15.i ], [ %n, %bb13.i ]
  %_63.i = shl nsw i32 %n.sroa.0.0.i, 23
  %_11.i.i = add nsw i32 %_63.i, 1065353216
  %_0.i1.i.i = and i32 %_11.i.i, 2139095040
  %_0.i.i.i.i = bitcast i32 %_0.i1.i.i to float
  %_0.i.i = fmul float %x.sroa.0.0.i, %_0.i.i.i.i
  ret float %_0.i.i
}
define internal void @w.lib.352(ptr dead_on_unwind noalias nonnull writable writeonly sret([24 x i8]) align 8 dereferenceable(24) %_0, double %x) nounwind {
start:
  %ty = alloca [24 x i8], align 8
  %tx = alloca [24 x i8], align 8
  %_0.i = bitcast double %x to i64
  %_8 = lshr i64 %_0.i, 32
  %_7 = trunc nuw i64 %_8 to i32
  %ix = and i32 %_7, 2147483647
  %_10 = icmp ult i32 %ix, 1074752123
  %iter.sroa.0.050.sroa.gep = getelementptr inbounds i8, ptr %tx, i64 8
  %i.sroa.0.052.sroa.gep = getelementptr inbounds i8, ptr %tx, i64 16
  %i.sroa.0.052.sroa.gep54 = getelementptr inbounds i8, ptr %tx, i64 8
  br i1 %_10, label %bb4, label %bb14
bb14:
  %_29 = icmp ult i32 %ix, 1075594812
  br i1 %_29, label %bb15, label %bb16
bb4:
  %_11 = and i32 %_7, 1048575
  %0 = icmp eq i32 %_11, 598523
  br i1 %0, label %bb5, label %bb7
bb16:
  %_47 = icmp ult i32 %ix, 1094263291
  br i1 %_47, label %bb29, label %bb30
bb15:
  %_30 = icmp ult i32 %ix, 1075183037
  br i1 %_30, label %bb17, label %bb23
bb30:
  %_48 = icmp ugt i32 %ix, 2146435071
  br i1 %_48, label %bb32, label %bb33
bb29:
  call void @w.lib.445(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_0, double %x, i32 %ix)
  br label %bb67
bb33:
  call void @llvm.memset.p0.i64(ptr nonnull align 8 dereferenceable(24) %tx, i8 0, i64 16, i1 false)
  %1 = and i64 %_0.i, 4503599627370495
  %2 = or disjoint i64 %1, 4710765210229538816
  %_0.i38 = bitcast i64 %2 to double
  br label %bb40
bb32:
  %y0 = fsub double %x, %x
  %3 = getelementptr inbounds i8, ptr %_0, i64 8
  store i32 0, ptr %3, align 8
  store double %y0, ptr %_0, align 8
  %4 = getelementptr inbounds i8, ptr %_0, i64 16
  store double %y0, ptr %4, align 8
  br label %bb67
bb40:
  %z.sroa.0.051 = phi double [ %6, %bb40 ], [ %_0.i38, %bb33 ]
  %_0.i.i.i = phi i1 [ false, %bb40 ], [ true, %bb33 ]
  %iter.sroa.0.050.sroa.phi = phi ptr [ %iter.sroa.0.050.sroa.gep, %bb40 ], [ %tx, %bb33 ]
  %_59 = call i32 @llvm.fptosi.sat.i32.f64(double %z.sroa.0.051)
  %5 = sitofp i32 %_59 to double
  store double %5, ptr %iter.sroa.0.050.sroa.phi, align 8
  %_64 = fsub double %z.sroa.0.051, %5
  %6 = fmul double %_64, 0x4170000000000000
  br i1 %_0.i.i.i, label %bb40, label %bb41
bb41:
  %_0.i.i40 = getelementptr inbounds i8, ptr %tx, i64 16
  store double %6, ptr %_0.i.i40, align 8
  br label %bb46
bb46:
  %7 = phi i1 [ false, %bb41 ], [ true, %bb46 ]
  %i.sroa.0.052.sroa.phi = phi ptr [ %i.sroa.0.052.sroa.gep, %bb41 ], [ %i.sroa.0.052.sroa.gep54, %bb46 ]
  %i.sroa.0.052 = phi i64 [ 3, %bb41 ], [ 2, %bb46 ]
  %_75 = load double, ptr %i.sroa.0.052.sroa.phi, align 8
  %_74 = fcmp une double %_75, 0.000000e+00
  %brmerge = or i1 %_74, %7
  br i1 %brmerge, label %bb51, label %bb46
bb51:
  call void @llvm.memset.p0.i64(ptr nonnull align 8 dereferenceable(24) %ty, i8 0, i64 24, i1 false)
  %8 = select i1 %_74, i64 %i.sroa.0.052, i64 1
  %_88 = lshr i32 %ix, 20
  %_87 = add nsw i32 %_88, -1046
  %n = call i32 @w.lib.331(ptr noalias nonnull readonly align 8 %tx, i64 %8, ptr noalias nonnull align 8 %ty, i32 %_87, i64 1)
  %9 = icmp sgt i64 %_0.i, -1
  br i1 %9, label %bb57, label %bb54
bb57:
  %_101 = load double, ptr %ty, align 8
  %_0.i.i44 = getelementptr inbounds i8, ptr %ty, i64 8
  %_105 = load double, ptr %_0.i.i44, align 8
  %10 = getelementptr inbounds i8, ptr %_0, i64 8
  store i32 %n, ptr %10, align 8
  store double %_101, ptr %_0, align 8
  %11 = getelementptr inbounds i8, ptr %_0, i64 16
  store double %_105, ptr %11, align 8
  br label %bb67
bb54:
  %_90 = sub nsw i32 0, %n
  %_92 = load double, ptr %ty, align 8
  %_91 = fneg double %_92
  %_0.i.i46 = getelementptr inbounds i8, ptr %ty, i64 8
  %_97 = load double, ptr %_0.i.i46, align 8
  %_96 = fneg double %_97
  %12 = getelementptr inbounds i8, ptr %_0, i64 8
  store i32 %_90, ptr %12, align 8
  store double %_91, ptr %_0, align 8
  %13 = getelementptr inbounds i8, ptr %_0, i64 16
  store double %_96, ptr %13, align 8
  br label %bb67
bb67:
  ret void
bb23:
  %14 = icmp eq i32 %ix, 1075388923
  br i1 %14, label %bb24, label %bb26
bb17:
  %15 = icmp eq i32 %ix, 1074977148
  br i1 %15, label %bb18, label %bb20
bb24:
  call void @w.lib.445(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_0, double %x, i32 1075388923)
  br label %bb67
bb26:
  %16 = icmp sgt i64 %_0.i, -1
  %17 = getelementptr inbounds i8, ptr %_0, i64 8
  %18 = getelementptr inbounds i8, ptr %_0, i64 16
  br i1 %16, label %bb27, label %bb28
bb27:
  %z5 = fadd double %x, 0xC01921FB54400000
  %y06 = fadd double %z5, 0xBDF0B4611A626331
  %_42 = fsub double %z5, %y06
  %y1 = fadd double %_42, 0xBDF0B4611A626331
  store i32 4, ptr %17, align 8
  store double %y06, ptr %_0, align 8
  store double %y1, ptr %18, align 8
  br label %bb67
bb28:
  %z7 = fadd double %x, 0x401921FB54400000
  %y08 = fadd double %z7, 0x3DF0B4611A626331
  %_46 = fsub double %z7, %y08
  %y19 = fadd double %_46, 0x3DF0B4611A626331
  store i32 -4, ptr %17, align 8
  store double %y08, ptr %_0, align 8
  store double %y19, ptr %18, align 8
  br label %bb67
bb18:
  call void @w.lib.445(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_0, double %x, i32 1074977148)
  br label %bb67
bb20:
  %19 = icmp sgt i64 %_0.i, -1
  %20 = getelementptr inbounds i8, ptr %_0, i64 8
  %21 = getelementptr inbounds i8, ptr %_0, i64 16
  br i1 %19, label %bb21, label %bb22
bb21:
  %z10 = fadd double %x, 0xC012D97C7F300000
  %y011 = fadd double %z10, 0xBDE90E91A79394CA
  %_34 = fsub double %z10, %y011
  %y112 = fadd double %_34, 0xBDE90E91A79394CA
  store i32 3, ptr %20, align 8
  store double %y011, ptr %_0, align 8
  store double %y112, ptr %21, align 8
  br label %bb67
bb22:
  %z13 = fadd double %x, 0x4012D97C7F300000
  %y014 = fadd double %z13, 0x3DE90E91A79394CA
  %_38 = fsub double %z13, %y014
  %y115 = fadd double %_38, 0x3DE90E91A79394CA
  store i32 -3, ptr %20, align 8
  store double %y014, ptr %_0, align 8
  store double %y115, ptr %21, align 8
  br label %bb67
bb5:
  call void @w.lib.445(ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_0, double %x, i32 %ix)
  br label %bb67
bb7:
  %_12 = icmp ult i32 %ix, 1073928573
  %22 = icmp sgt i64 %_0.i, -1
  %23 = getelementptr inbounds i8, ptr %_0, i64 8
  %24 = getelementptr inbounds i8, ptr %_0, i64 16
  br i1 %_12, label %bb8, label %bb9
bb9:
  br i1 %22, label %bb12, label %bb13
bb8:
  br i1 %22, label %bb10, label %bb11
bb12:
  %z16 = fadd double %x, 0xC00921FB54400000
  %y017 = fadd double %z16, 0xBDE0B4611A626331
  %_24 = fsub double %z16, %y017
  %y118 = fadd double %_24, 0xBDE0B4611A626331
  store i32 2, ptr %23, align 8
  store double %y017, ptr %_0, align 8
  store double %y118, ptr %24, align 8
  br label %bb67
bb13:
  %z19 = fadd double %x, 0x400921FB54400000
  %y020 = fadd double %z19, 0x3DE0B4611A626331
  %_28 = fsub double %z19, %y020
  %y121 = fadd double %_28, 0x3DE0B4611A626331
  store i32 -2, ptr %23, align 8
  store double %y020, ptr %_0, align 8
  store double %y121, ptr %24, align 8
  br label %bb67
bb10:
  %z22 = fadd double %x, 0xBFF921FB54400000
  %y023 = fadd double %z22, 0xBDD0B4611A626331
  %_16 = fsub double %z22, %y023
  %y124 = fadd double %_16, 0xBDD0B4611A626331
  store i32 1, ptr %23, align 8
  store double %y023, ptr %_0, align 8
  store double %y124, ptr %24, align 8
  br label %bb67
bb11:
  %z25 = fadd double %x, 0x3FF921FB54400000
  %y026 = fadd double %z25, 0x3DD0B4611A626331
  %_20 = fsub double %z25, %y026
  %y127 = fadd double %_20, 0x3DD0B4611A626331
  store i32 -1, ptr %23, align 8
  store double %y026, ptr %_0, align 8
  store double %y127, ptr %24, align 8
  br label %bb67
}
define internal { i32, double } @w.lib.377(float %x) nounwind {
start:
  %ty = alloca [8 x i8], align 8
  %tx = alloca [8 x i8], align 8
  %x64 = fpext float %x to double
  store double 0.000000e+00, ptr %ty, align 8
  %_0.i = bitcast float %x to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %ix = bitcast float %0 to i32
  %_7 = icmp ult i32 %ix, 1305022427
  br i1 %_7, label %bb2, label %bb3
bb3:
  %_16 = icmp ugt i32 %ix, 2139095039
  br i1 %_16, label %bb4, label %bb5
bb2:
  %_9 = fmul double %x64, 0x3FE45F306DC9C883
  %tmp = fadd double %_9, 0x4338000000000000
  %f_n = fadd double %tmp, 0xC338000000000000
  %_11 = call i32 @llvm.fptosi.sat.i32.f64(double %f_n)
  %_14 = fmul double %f_n, 0x3FF921FB50000000
  %_13 = fsub double %x64, %_14
  %_15 = fmul double %f_n, 0x3E5110B4611A6263
  %_12 = fsub double %_13, %_15
  br label %bb12
bb5:
  %sign.not = icmp sgt i32 %_0.i, -1
  %_23 = lshr i32 %ix, 23
  %_22 = add nsw i32 %_23, -150
  %_27 = shl nuw nsw i32 %_22, 23
  %_25 = sub nuw nsw i32 %ix, %_27
  %_0.i2 = bitcast i32 %_25 to float
  %1 = fpext float %_0.i2 to double
  store double %1, ptr %tx, align 8
  %n = call i32 @w.lib.331(ptr noalias nonnull readonly align 8 %tx, i64 1, ptr noalias nonnull align 8 %ty, i32 %_22, i64 0)
  br i1 %sign.not, label %bb10, label %bb9
bb4:
  %_17 = fsub double %x64, %x64
  br label %bb12
bb10:
  %_36 = load double, ptr %ty, align 8
  br label %bb12
bb9:
  %_33 = sub nsw i32 0, %n
  %_35 = load double, ptr %ty, align 8
  %_34 = fneg double %_35
  br label %bb12
bb12:
  %_0.sroa.5.0 = phi double [ %_36, %bb10 ], [ %_12, %bb2 ], [ %_17, %bb4 ], [ %_34, %bb9 ]
  %_0.sroa.0.0 = phi i32 [ %n, %bb10 ], [ %_11, %bb2 ], [ 0, %bb4 ], [ %_33, %bb9 ]
  %2 = insertvalue { i32, double } poison, i32 %_0.sroa.0.0, 0
  %3 = insertvalue { i32, double } %2, double %_0.sroa.5.0, 1
  ret { i32, double } %3
}
define internal void @w.lib.445(ptr dead_on_unwind noalias nonnull writable writeonly sret([24 x i8]) align 8 dereferenceable(24) initializes((0, 12), (16, 24)) %_0, double %x, i32 %ix) nounwind {
start:
  %_4 = fmul double %x, 0x3FE45F306DC9C883
  %tmp = fadd double %_4, 0x4338000000000000
  %f_n = fadd double %tmp, 0xC338000000000000
  %_8 = fmul double %f_n, 0x3FF921FB54400000
  %0 = fsub double %x, %_8
  %1 = fmul double %f_n, 0x3DD0B4611A626331
  %2 = fsub double %0, %1
  %_0.i = bitcast double %2 to i64
  %_17 = lshr i64 %_0.i, 52
  %_16 = trunc nuw nsw i64 %_17 to i32
  %ey = and i32 %_16, 2047
  %_19 = lshr i32 %ix, 20
  %_21 = sub nsw i32 %_19, %ey
  %_20 = icmp sgt i32 %_21, 16
  br i1 %_20, label %bb2, label %bb8
bb2:
  %3 = fmul double %f_n, 0x3DD0B4611A600000
  %4 = fsub double %0, %3
  %_24 = fmul double %f_n, 0x3BA3198A2E037073
  %_26 = fsub double %0, %4
  %_25 = fsub double %_26, %3
  %5 = fsub double %_24, %_25
  %6 = fsub double %4, %5
  %_0.i5 = bitcast double %6 to i64
  %_32 = lshr i64 %_0.i5, 52
  %_31 = trunc nuw nsw i64 %_32 to i32
  %ey1 = and i32 %_31, 2047
  %_36 = sub nsw i32 %_19, %ey1
  %_35 = icmp sgt i32 %_36, 49
  br i1 %_35, label %bb4, label %bb8
bb8:
  %y0.sroa.0.0 = phi double [ %12, %bb4 ], [ %6, %bb2 ], [ %2, %start ]
  %w.sroa.0.0 = phi double [ %11, %bb4 ], [ %5, %bb2 ], [ %1, %start ]
  %r.sroa.0.0 = phi double [ %10, %bb4 ], [ %4, %bb2 ], [ %0, %start ]
  %n = call i32 @llvm.fptosi.sat.i32.f64(double %f_n)
  %_46 = fsub double %r.sroa.0.0, %y0.sroa.0.0
  %y1 = fsub double %_46, %w.sroa.0.0
  %7 = getelementptr inbounds i8, ptr %_0, i64 8
  store i32 %n, ptr %7, align 8
  store double %y0.sroa.0.0, ptr %_0, align 8
  %8 = getelementptr inbounds i8, ptr %_0, i64 16
  store double %y1, ptr %8, align 8
  ret void
bb4:
  %9 = fmul double %f_n, 0x3BA3198A2E000000
  %10 = fsub double %4, %9
  %_39 = fmul double %f_n, 0x397B839A252049C1
  %_41 = fsub double %4, %10
  %_40 = fsub double %_41, %9
  %11 = fsub double %_39, %_40
  %12 = fsub double %10, %11
  br label %bb8
}
define internal float @wl.acos.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.399(float %x)
  ret float %_0
}
define internal double @wl.acos.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.371(double %x)
  ret double %_0
}
define internal float @wl.asin.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.401(float %x)
  ret float %_0
}
define internal double @wl.asin.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.372(double %x)
  ret double %_0
}
define internal float @wl.atan2.f32(float %x, float %y) nounwind {
start:
  %_0 = call float @w.lib.429(float %x, float %y)
  ret float %_0
}
define internal double @wl.atan2.f64(double %x, double %y) nounwind {
start:
  %_0 = call double @w.lib.403(double %x, double %y)
  ret double %_0
}
define internal float @wl.atan.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.404(float %x)
  ret float %_0
}
define internal double @wl.atan.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.373(double %x)
  ret double %_0
}
define internal float @wl.cbrt.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.406(float %x)
  ret float %_0
}
define internal double @wl.cbrt.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.374(double %x)
  ret double %_0
}
define internal float @wl.cos.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.362(float %x)
  ret float %_0
}
define internal double @wl.cos.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.346(double %x)
  ret double %_0
}
define internal float @wl.cosh.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.407(float %x)
  ret float %_0
}
define internal double @wl.cosh.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.378(double %x)
  ret double %_0
}
define internal float @wl.erf.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.380(float %x)
  ret float %_0
}
define internal double @wl.erf.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.326(double %x)
  ret double %_0
}
define internal float @wl.erfc.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.383(float %x)
  ret float %_0
}
define internal double @wl.erfc.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.322(double %x)
  ret double %_0
}
define internal float @wl.erfcinv.f32(float %x) nounwind {
start:
  %_3 = fpext float %x to double
  %_2 = call double @w.lib.327(double %_3)
  %_0 = fptrunc double %_2 to float
  ret float %_0
}
define internal double @wl.erfcinv.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.327(double %x)
  ret double %_0
}
define internal float @wl.erfinv.f32(float %x) nounwind {
start:
  %_3 = fpext float %x to double
  %_2 = call double @w.lib.324(double %_3)
  %_0 = fptrunc double %_2 to float
  ret float %_0
}
define internal double @wl.erfinv.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.324(double %x)
  ret double %_0
}
define internal float @wl.exp2.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.410(float %x)
  ret float %_0
}
define internal double @wl.exp2.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.384(double %x)
  ret double %_0
}
define internal float @wl.exp.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.382(float %x)
  ret float %_0
}
define internal float @wl.fmod.f32(float %x, float %y) nounwind {
start:
  %_0.i = bitcast float %x to i32
  %0 = call float @llvm.fabs.f32(float %x)
  %a = bitcast float %0 to i32
  %1 = call float @llvm.fabs.f32(float %y)
  %b = bitcast float %1 to i32
  %2 = add nsw i32 %b, -2139095041
  %or.cond = icmp ult i32 %2, -2139095040
  %_8 = icmp ugt i32 %a, 2139095039
  %or.cond3 = or i1 %_8, %or.cond
  br i1 %or.cond3, label %bb30, label %bb6
bb6:
  %_9 = icmp ult i32 %a, %b
  br i1 %_9, label %bb30, label %bb8
bb8:
  %e.i = lshr i32 %a, 23
  %3 = icmp eq i32 %e.i, 0
  br i1 %3, label %bb2.i, label %bb1.i
bb2.i:
  %4 = call i32 @llvm.ctlz.i32(i32 %a, i1 true)
  %shift.i = add nuw nsw i32 %4, 24
  %_6.i = sub nsw i32 9, %4
  %5 = and i32 %shift.i, 31
  %_8.i = shl i32 %a, %5
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit
bb1.i:
  %_11.i = and i32 %a, 8388607
  %_10.i = or disjoint i32 %_11.i, 8388608
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit
_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit:
  %_0.sroa.3.0.i = phi i32 [ %_8.i, %bb2.i ], [ %_10.i, %bb1.i ]
  %_0.sroa.0.0.i = phi i32 [ %_6.i, %bb2.i ], [ %e.i, %bb1.i ]
  %e.i15 = lshr i32 %b, 23
  %6 = icmp eq i32 %e.i15, 0
  br i1 %6, label %bb2.i21, label %bb1.i16
bb2.i21:
  %7 = call i32 @llvm.ctlz.i32(i32 %b, i1 true)
  %shift.i22 = add nuw nsw i32 %7, 24
  %_6.i23 = sub nsw i32 9, %7
  %8 = and i32 %shift.i22, 31
  %_8.i24 = shl i32 %b, %8
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25
bb1.i16:
  %_11.i17 = and i32 %b, 8388607
  %_10.i18 = or disjoint i32 %_11.i17, 8388608
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25
_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25:
  %_0.sroa.3.0.i19 = phi i32 [ %_8.i24, %bb2.i21 ], [ %_10.i18, %bb1.i16 ]
  %_0.sroa.0.0.i20 = phi i32 [ %_6.i23, %bb2.i21 ], [ %e.i15, %bb1.i16 ]
  %_1729 = icmp sgt i32 %_0.sroa.0.0.i, %_0.sroa.0.0.i20
  br i1 %_1729, label %bb12, label %bb16
bb16:
  %mx.sroa.0.0.lcssa = phi i32 [ %_0.sroa.3.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25 ], [ %12, %bb12 ]
  %ex.sroa.0.0.lcssa = phi i32 [ %_0.sroa.0.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25 ], [ %_0.sroa.0.0.i20, %bb12 ]
  %_21.not = icmp ult i32 %mx.sroa.0.0.lcssa, %_0.sroa.3.0.i19
  %9 = select i1 %_21.not, i32 0, i32 %_0.sroa.3.0.i19
  %sign = and i32 %_0.i, -2147483648
  %10 = icmp eq i32 %mx.sroa.0.0.lcssa, %9
  br i1 %10, label %bb21, label %bb23
bb12:
  %ex.sroa.0.031 = phi i32 [ %13, %bb12 ], [ %_0.sroa.0.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25 ]
  %mx.sroa.0.030 = phi i32 [ %12, %bb12 ], [ %_0.sroa.3.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f320B3_.exit25 ]
  %_19.not = icmp ult i32 %mx.sroa.0.030, %_0.sroa.3.0.i19
  %11 = select i1 %_19.not, i32 0, i32 %_0.sroa.3.0.i19
  %spec.select13 = sub nuw i32 %mx.sroa.0.030, %11
  %12 = shl i32 %spec.select13, 1
  %13 = add nsw i32 %ex.sroa.0.031, -1
  %_17 = icmp sgt i32 %13, %_0.sroa.0.0.i20
  br i1 %_17, label %bb12, label %bb16
bb21:
  %_0.i27 = bitcast i32 %sign to float
  br label %bb30
bb23:
  %spec.select = sub nuw i32 %mx.sroa.0.0.lcssa, %9
  %14 = call i32 @llvm.ctlz.i32(i32 %spec.select, i1 true)
  %shift = add nsw i32 %14, -8
  %ex1 = sub nsw i32 %ex.sroa.0.0.lcssa, %shift
  %15 = and i32 %shift, 31
  %mx2 = shl i32 %spec.select, %15
  %_33 = icmp sgt i32 %ex1, 0
  br i1 %_33, label %bb26, label %bb25
bb25:
  %_37 = sub nsw i32 1, %ex1
  %16 = and i32 %_37, 31
  %17 = lshr i32 %mx2, %16
  br label %bb27
bb26:
  %_34 = add i32 %mx2, -8388608
  %_35 = shl nuw i32 %ex1, 23
  %18 = or i32 %_34, %_35
  br label %bb27
bb27:
  %size.sroa.0.0 = phi i32 [ %18, %bb26 ], [ %17, %bb25 ]
  %_38 = or i32 %size.sroa.0.0, %sign
  %_0.i28 = bitcast i32 %_38 to float
  br label %bb30
bb30:
  %_0.sroa.0.0 = phi float [ %_0.i28, %bb27 ], [ 0x7FF8000000000000, %start ], [ %_0.i27, %bb21 ], [ %x, %bb6 ]
  ret float %_0.sroa.0.0
}
define internal double @wl.fmod.f64(double %x, double %y) nounwind {
start:
  %_0.i = bitcast double %x to i64
  %0 = call double @llvm.fabs.f64(double %x)
  %a = bitcast double %0 to i64
  %1 = call double @llvm.fabs.f64(double %y)
  %b = bitcast double %1 to i64
  %2 = add nsw i64 %b, -9218868437227405313
  %or.cond = icmp ult i64 %2, -9218868437227405312
  %_8 = icmp ugt i64 %a, 9218868437227405311
  %or.cond3 = or i1 %_8, %or.cond
  br i1 %or.cond3, label %bb30, label %bb6
bb6:
  %_9 = icmp ult i64 %a, %b
  br i1 %_9, label %bb30, label %bb8
bb8:
  %e.i = lshr i64 %a, 52
  %3 = icmp eq i64 %e.i, 0
  br i1 %3, label %bb2.i, label %bb1.i
bb2.i:
  %4 = call i64 @llvm.ctlz.i64(i64 %a, i1 true)
  %5 = trunc nuw nsw i64 %4 to i32
  %shift.i = add nuw nsw i64 %4, 53
  %_6.i = sub nsw i32 12, %5
  %6 = and i64 %shift.i, 63
  %_8.i = shl i64 %a, %6
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit
bb1.i:
  %_9.i = trunc nuw nsw i64 %e.i to i32
  %_11.i = and i64 %a, 4503599627370495
  %_10.i = or disjoint i64 %_11.i, 4503599627370496
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit
_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit:
  %_0.sroa.3.0.i = phi i64 [ %_8.i, %bb2.i ], [ %_10.i, %bb1.i ]
  %_0.sroa.0.0.i = phi i32 [ %_6.i, %bb2.i ], [ %_9.i, %bb1.i ]
  %e.i15 = lshr i64 %b, 52
  %7 = icmp eq i64 %e.i15, 0
  br i1 %7, label %bb2.i22, label %bb1.i16
bb2.i22:
  %8 = call i64 @llvm.ctlz.i64(i64 %b, i1 true)
  %9 = trunc nuw nsw i64 %8 to i32
  %shift.i23 = add nuw nsw i64 %8, 53
  %_6.i24 = sub nsw i32 12, %9
  %10 = and i64 %shift.i23, 63
  %_8.i25 = shl i64 %b, %10
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26
bb1.i16:
  %_9.i17 = trunc nuw nsw i64 %e.i15 to i32
  %_11.i18 = and i64 %b, 4503599627370495
  %_10.i19 = or disjoint i64 %_11.i18, 4503599627370496
  br label %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26
_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26:
  %_0.sroa.3.0.i20 = phi i64 [ %_8.i25, %bb2.i22 ], [ %_10.i19, %bb1.i16 ]
  %_0.sroa.0.0.i21 = phi i32 [ %_6.i24, %bb2.i22 ], [ %_9.i17, %bb1.i16 ]
  %_1730 = icmp sgt i32 %_0.sroa.0.0.i, %_0.sroa.0.0.i21
  br i1 %_1730, label %bb12, label %bb16
bb16:
  %mx.sroa.0.0.lcssa = phi i64 [ %_0.sroa.3.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26 ], [ %14, %bb12 ]
  %ex.sroa.0.0.lcssa = phi i32 [ %_0.sroa.0.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26 ], [ %_0.sroa.0.0.i21, %bb12 ]
  %_21.not = icmp ult i64 %mx.sroa.0.0.lcssa, %_0.sroa.3.0.i20
  %11 = select i1 %_21.not, i64 0, i64 %_0.sroa.3.0.i20
  %sign = and i64 %_0.i, -9223372036854775808
  %12 = icmp eq i64 %mx.sroa.0.0.lcssa, %11
  br i1 %12, label %bb21, label %bb23
bb12:
  %ex.sroa.0.032 = phi i32 [ %15, %bb12 ], [ %_0.sroa.0.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26 ]
  %mx.sroa.0.031 = phi i64 [ %14, %bb12 ], [ %_0.sroa.3.0.i, %_RNCNvCsh537bOAIRKx_3lib11wl_fmod_f640B3_.exit26 ]
  %_19.not = icmp ult i64 %mx.sroa.0.031, %_0.sroa.3.0.i20
  %13 = select i1 %_19.not, i64 0, i64 %_0.sroa.3.0.i20
  %spec.select13 = sub nuw i64 %mx.sroa.0.031, %13
  %14 = shl i64 %spec.select13, 1
  %15 = add nsw i32 %ex.sroa.0.032, -1
  %_17 = icmp sgt i32 %15, %_0.sroa.0.0.i21
  br i1 %_17, label %bb12, label %bb16
bb21:
  %_0.i28 = bitcast i64 %sign to double
  br label %bb30
bb23:
  %spec.select = sub nuw i64 %mx.sroa.0.0.lcssa, %11
  %16 = call i64 @llvm.ctlz.i64(i64 %spec.select, i1 true)
  %17 = trunc nuw nsw i64 %16 to i32
  %shift = add nsw i32 %17, -11
  %ex1 = sub nsw i32 %ex.sroa.0.0.lcssa, %shift
  %18 = and i32 %shift, 63
  %19 = zext nneg i32 %18 to i64
  %mx2 = shl i64 %spec.select, %19
  %_33 = icmp sgt i32 %ex1, 0
  br i1 %_33, label %bb26, label %bb25
bb25:
  %_37 = sub nsw i32 1, %ex1
  %20 = and i32 %_37, 63
  %21 = zext nneg i32 %20 to i64
  %22 = lshr i64 %mx2, %21
  br label %bb27
bb26:
  %_34 = add i64 %mx2, -4503599627370496
  %_36 = zext nneg i32 %ex1 to i64
  %_35 = shl nuw i64 %_36, 52
  %23 = or i64 %_34, %_35
  br label %bb27
bb27:
  %size.sroa.0.0 = phi i64 [ %23, %bb26 ], [ %22, %bb25 ]
  %_38 = or i64 %size.sroa.0.0, %sign
  %_0.i29 = bitcast i64 %_38 to double
  br label %bb30
bb30:
  %_0.sroa.0.0 = phi double [ %_0.i29, %bb27 ], [ 0x7FF8000000000000, %start ], [ %_0.i28, %bb21 ], [ %x, %bb6 ]
  ret double %_0.sroa.0.0
}
define internal float @wl.log10.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.437(float %x)
  ret float %_0
}
define internal double @wl.log10.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.417(double %x)
  ret double %_0
}
define internal float @wl.log2.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.418(float %x)
  ret float %_0
}
define internal double @wl.log2.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.393(double %x)
  ret double %_0
}
define internal float @wl.log.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.360(float %x)
  ret float %_0
}
define internal float @wl.pow.f32(float %x, float %y) nounwind {
start:
  %_0 = call float @w.lib.395(float %x, float %y)
  ret float %_0
}
define internal double @wl.pow.f64(double %x, double %y) nounwind {
start:
  %_0 = call double @w.lib.368(double %x, double %y)
  ret double %_0
}
define internal float @wl.sin.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.361(float %x)
  ret float %_0
}
define internal double @wl.sin.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.345(double %x)
  ret double %_0
}
define internal float @wl.sinh.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.422(float %x)
  ret float %_0
}
define internal double @wl.sinh.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.396(double %x)
  ret double %_0
}
define internal float @wl.tan.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.397(float %x)
  ret float %_0
}
define internal double @wl.tan.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.369(double %x)
  ret double %_0
}
define internal float @wl.tanh.f32(float %x) nounwind {
start:
  %_0 = call float @w.lib.423(float %x)
  ret float %_0
}
define internal double @wl.tanh.f64(double %x) nounwind {
start:
  %_0 = call double @w.lib.398(double %x)
  ret double %_0
}
